"""``experiment=study``: several experiments from one command line, each a run of its own, all in one queue."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from actors.errors import BadInput, unknown
from pipelines.config import composition, keys_of, rows_of, settings
from pipelines.plan import check_selection, plan
from pipelines.work import STUDY, Work, replace_text

EXPERIMENT = "experiment=study"
GROUPS = ("cast", "cluster", "strategy", "models")


def is_study(overrides: Sequence[str]) -> bool:
    """Whether a command line is a study's: the last ``experiment=`` counts."""
    return [given for given in overrides if given.startswith("experiment=")][-1:] == [EXPERIMENT]


def planned(overrides: Sequence[str], config_dir: Path | None) -> list[Work]:
    """The runs of a study. ``only.*`` may name what some of them do not have; BadInput where none has it."""
    works = [plan(settings(own, config_dir), alone=False) for own in jobs(overrides, config_dir)]
    check_selection(works[0].settings.only, [unit for work in works for unit in work.units])
    return works


def jobs(overrides: Sequence[str], config_dir: Path | None) -> Iterator[list[str]]:
    """The command line of each experiment of a study; BadInput where a setting belongs to none of them."""
    lists = [given for given in overrides if given.startswith("experiments=")]
    experiments = composition([EXPERIMENT, *lists], config_dir).get("experiments")
    known = [name for name in rows_of("experiment") if name not in ("study", "judge", "demo", "idea_search")]
    if not experiments or isinstance(experiments, str):
        raise BadInput(f"experiments: must be a list; choose from {', '.join(known)}")
    own = [given for given in overrides if not given.startswith(("experiment=", "experiments="))]
    for given in own:
        if key_of(given) == "condition":
            raise BadInput(f"{given}: each experiment of a study has its own; play one by itself to change it")
        if key_of(given) == "run.dir":
            raise BadInput(f"{given}: each experiment of a study has a folder of its own; set outputs= instead")
    taken: set[str] = set()
    for name in dict.fromkeys(map(str, experiments)):
        if name not in known:
            raise BadInput(unknown("experiment", name, known, "experiments= lists them"))
        keys = keys_of(name)
        fits = [given for given in own if key_of(given) in keys or key_of(given).split(".")[0] in GROUPS]
        taken.update(fits)
        yield [f"experiment={name}", *fits]
    if left := [given for given in own if given not in taken]:
        raise BadInput(f"{left[0]}: none of {', '.join(experiments)} has this setting; see heuresis run --cfg job")


def key_of(given: str) -> str:
    """The dotted key of an override."""
    return given.partition("=")[0].lstrip("+~")


def keep(works: Sequence[Work]) -> Path:
    """The study's folder, in which a file names its runs."""
    digest = hashlib.sha256(" ".join(work.settings.digest for work in works).encode()).hexdigest()[:8]
    folder = works[0].settings.outputs / f"study-{digest}"
    runs = {work.settings.experiment: str(work.folder) for work in works}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(folder / STUDY, json.dumps(runs, indent=1) + "\n")
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written ({error.strerror}); set outputs= to a folder that can") from None
    return folder
