"""How long the report of a whole study takes and what memory, by the whole command, at several sizes of the study.

    python tests/bench/report.py [--papers 25 --papers 50 --papers 100 --papers 200] [--stages] [--keep FOLDER]

The study has six scripted models, three games, four conditions, three judges, two annotators, two further answerers,
forks, pooled games and probes (made_study.py), in eight runs of an experiment each, in which shared games stand anew.
At 200 papers it is full size: 14,400 games. Its tables are written as they are, with the real schemas, without a game
being played (made_rows.py).

s: from the start of `heuresis report` to its end; CPU s: what the process used for it, which says more than seconds on
a machine that others use; ms more: CPU for each game that a line has more than the one above, level if all is linear.
page MB: its size, with how many games and trees stand on it. --stages: once more in this process, stage by stage.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from made_rows import write
from made_study import CONTINUATIONS, CUTS, JUDGES, MODELS, POOLED, QUESTIONS, REPLICATES, SELECTORS, study
from measure import heuresis, show

from pipelines import study as studies
from pipelines.config import settings
from pipelines.report import make
from pipelines.report.chapters import all as chapters
from pipelines.work import STUDY, runs_of

FULL = 200
GAMES_A_PAPER = REPLICATES * len(MODELS) * 4
GOALS = "goal at 200 papers: 60 s on two cores, 2 GB, 20 MB"


def overrides(outputs: Path) -> list[str]:
    """The command line of the study that the tables are those of."""
    listed = {"inquisitors": MODELS, "judges": JUDGES, "fork.at": CUTS, "pool.selectors": SELECTORS}
    plain = {"replicates": REPLICATES, "questions": QUESTIONS, "fork.continuations": CONTINUATIONS}
    plain |= {"pool.questions": POOLED, "outputs": outputs, "cast": "scripted"}
    lists = [f"{key}=[{','.join(map(str, values))}]" for key, values in listed.items()]
    return ["experiment=study", *lists, *(f"{key}={value}" for key, value in plain.items())]


def made(outputs: Path, papers: int) -> Path:
    """A study's folder, its runs beside it."""
    units, runs = study(papers), {}
    for given in studies.jobs(overrides(outputs), None):
        own = settings(given)
        write(units[own.experiment], own.folder / "tables")
        config = own.model_dump(mode="json", by_alias=True)
        (own.folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        runs[own.experiment] = str(own.folder)
    folder = outputs / f"study-{papers}"
    folder.mkdir()
    (folder / STUDY).write_text(json.dumps(runs))
    return folder


def row(folder: Path, papers: int, before: tuple[int, float] | None) -> tuple[float, tuple[str, ...]]:
    """CPU seconds of one report, and its line; ``before``: the papers and the CPU seconds of the line above."""
    begun = time.perf_counter()
    child = subprocess.Popen(heuresis("report", str(folder)), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"exit code {child.returncode}: heuresis report {folder}")
    page = (folder / "report" / "page.html").read_text()
    cpu, games = usage.ru_utime + usage.ru_stime, papers * GAMES_A_PAPER
    more = f"{1000 * (cpu - before[1]) / (papers - before[0]) / GAMES_A_PAPER:.1f}" if before else ""
    held = (len(re.findall(f'class="{kind}"', page)) for kind in ("game", "tree"))
    figures = (
        f"{seconds:.1f}",
        f"{cpu:.1f}",
        more,
        f"{usage.ru_maxrss * 1024 / 1e6:,.0f}",
        f"{len(page.encode()) / 1e6:.1f}",
    )
    return cpu, (str(papers), f"{games:,}", *figures, *map(str, held))


@contextmanager
def timed(spent: dict[str, list[float]], name: str) -> Iterator[None]:
    """Adds what a stage took to ``spent``: seconds, CPU seconds."""
    begun, cpu = time.perf_counter(), time.process_time()
    yield
    known = spent.setdefault(name, [0.0, 0.0])
    known[0] += time.perf_counter() - begun
    known[1] += time.process_time() - cpu


def watched(spent: dict[str, list[float]], name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """``work``, its time taken."""

    def watching(*given: Any, **named: Any) -> Any:
        with timed(spent, name):
            return work(*given, **named)

    return watching


def stages(folder: Path) -> list[tuple[str, str, str]]:
    """Where the time goes, in this process: each chapter's tables are a part of all analyses."""
    spent: dict[str, list[float]] = {}
    names = {
        "load": "load",
        "make_tables": "analyses, all",
        "_write": "write tables",
        "_draw": "figures",
        "told": "chapters on the page",
    }
    for name, said in (names | {"_page": "games, grids, facts", "render": "page"}).items():
        setattr(make, name, watched(spent, said, getattr(make, name)))
    chapters.CHAPTERS = tuple(
        replace(one, tables=watched(spent, f"of these {one.name}", one.tables)) for one in chapters.CHAPTERS
    )
    with timed(spent, "all"):
        make.make_report(runs_of(folder), folder / "report")
    return [(name, f"{seconds:.1f}", f"{cpu:.1f}") for name, (seconds, cpu) in spent.items()]


def main(sizes: list[int], by_stage: bool, keep: Path | None) -> None:
    rows: list[tuple[str, ...]] = []
    before: tuple[int, float] | None = None
    for papers in sorted(set(sizes)):
        outputs = (keep or Path(tempfile.mkdtemp(prefix="heuresis-bench-"))) / str(papers)
        found = outputs / f"study-{papers}"
        folder = found if found.is_dir() else made(outputs, papers)
        try:
            cpu, line = row(folder, papers, before)
            rows.append(line)
            before = papers, cpu
            if by_stage:
                load = os.getloadavg()[0]
                show(f"{papers} papers, stage by stage; load {load:.1f}", ("", "s", "CPU s"), stages(folder))
        finally:
            if keep is None:
                shutil.rmtree(outputs.parent)
    columns = ("papers", "games", "s", "CPU s", "ms more", "peak MB", "page MB", "shown", "trees")
    show(f"heuresis report of a study; {GOALS}; load now {os.getloadavg()[0]:.1f}", columns, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, action="append", help="default: 25, 50, 100 and 200")
    parser.add_argument("--stages", action="store_true", help="also stage by stage, in this process")
    parser.add_argument("--keep", type=Path, help="where the studies stay, to be read again")
    chosen = parser.parse_args()
    main(chosen.papers or [25, 50, 100, FULL], chosen.stages, chosen.keep)
