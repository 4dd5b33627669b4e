"""From the words of a command line to Settings: Hydra composes, pydantic checks, trouble is one line."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from actors.errors import BadInput, unknown
from pipelines.family import AnySettings, of_the_other, read
from pipelines.search_settings import SearchSettings
from pipelines.settings import ROOT

CONF = ROOT / "conf"
SEATS = (
    *("inquisitors", "answerer", "judges", "annotators", "tree_annotator", "answerers"),
    *("pool.proposers", "pool.selectors", "pool.random", "pool.best_of", "manager", "coder"),
)
GAMES_OWN = "papers condition replicates questions card_every inquisitors answerer strategy seed".split()


def jobs(overrides: Sequence[str]) -> Iterator[list[str]]:
    """Each job of a sweep in Hydra's own syntax: the product of every override that lists several values."""
    try:
        parsed = OverridesParser.create().parse_overrides(overrides=list(overrides))
        choices = [
            [f"{one.get_key_element()}={value}" for value in one.sweep_string_iterator()]
            if one.is_sweep_override()
            else [one.input_line or ""]
            for one in parsed
        ]
    except (HydraException, ValueError) as error:
        raise BadInput(f"override: {first_line(error)}") from None
    yield from map(list, product(*choices))


def settings(overrides: Sequence[str], config_dir: Path | None = None) -> AnySettings:
    """Compose and check; BadInput says in one line what is wrong, where, and what to do."""
    composed = composition(overrides, config_dir)
    try:
        plain = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise BadInput(needed(error)) from None
    found = read(plain, "config")
    if isinstance(found, SearchSettings):
        return found.pinned()
    for given in overrides if found.experiment == "judge" else ():
        if given.split("=")[0].lstrip("+~") in GAMES_OWN:
            raise BadInput(f"{given}: experiment=judge rates stored games as they are; use only.* to pick some")
    return found


def as_yaml(overrides: Sequence[str], config_dir: Path | None, resolve: bool) -> str:
    """The composed config as text; ``resolve``: with its interpolations resolved."""
    config = composition(overrides, config_dir)
    try:
        return OmegaConf.to_yaml(config, resolve=resolve)
    except OmegaConfBaseException as error:
        raise BadInput(first_line(error)) from None


def composition(overrides: Sequence[str], config_dir: Path | None = None) -> DictConfig:
    """The composed config: first to see which models have a seat, then with their specs."""
    if config_dir is not None and not config_dir.is_dir():
        raise BadInput(f"--config-dir {config_dir}: no such folder")
    search = [f"hydra.searchpath=[file://{config_dir.resolve()}]"] if config_dir else []
    # ++ sets a value whether or not a file has a line for it; a wrong name is refused by pydantic.
    overrides = [re.sub(r"^\+*(?=models\.|cluster\.needs\.)", "++", given) for given in folders(overrides)]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        first = composed([*search, *(given for given in overrides if not given.startswith("++models."))])
        names = seated(first)
        known = [path.stem for folder in (CONF, config_dir) if folder for path in (folder / "model").glob("*.yaml")]
        for name in names:
            if name not in known:
                raise BadInput(unknown("model", name, known, "add conf/model/<name>.yaml or choose one of these"))
        return composed([*search, *(f"+model@models.{name}={name}" for name in names), *overrides])


def folders(overrides: Sequence[str]) -> Iterator[str]:
    """The overrides, with a task that is given by its folder as the row conf/task/folder.yaml, name and path set."""
    for given in overrides:
        key, _, value = given.partition("=")
        value = value.strip("'\"")
        if key != "task" or not ("/" in value or value in (".", "..")):
            yield given
            continue
        path = Path(value).expanduser().resolve()
        if not path.is_dir():
            raise BadInput(
                f"task={value}: no such folder; give a task's folder, or one of {', '.join(rows_of('task'))}"
            )
        name = re.sub(r"[^\w.+-]+", "-", path.name, flags=re.ASCII).strip("-") or "task"
        quoted = str(path).replace("\\", "\\\\").replace("'", "\\'")
        yield from ("task=folder", f"task.name='{name}'", f"task.path='{quoted}'")


def rows_of(group: str) -> list[str]:
    """The files of a group; what begins with _ is shared by others of it."""
    return sorted(path.stem for path in (CONF / group).glob("*.yaml") if not path.stem.startswith("_"))


def seated(config: DictConfig) -> list[str]:
    """The models that a run's seats name, once each."""
    names: list[str] = []
    catalog = OmegaConf.select(config, "solver.kind") == "catalog"
    for seat in SEATS if not catalog else [seat for seat in SEATS if seat != "coder"]:
        try:
            value: Any = OmegaConf.select(config, seat)
        except (OmegaConfBaseException, ValueError) as error:
            raise BadInput(needed(error)) from None
        if value is not None:
            names += [str(name) for name in value] if OmegaConf.is_list(value) else [str(value)]
    return list(dict.fromkeys(names))


def composed(overrides: Sequence[str]) -> DictConfig:
    """Hydra's composition, its complaints as BadInput."""
    try:
        return compose("config", overrides=list(overrides))
    except YAMLError as error:
        raise BadInput(f"config: {' '.join(str(error).split())}; mend that file") from None
    except (HydraException, OmegaConfBaseException, ValueError) as error:  # the last for a group that is no word
        found = [given for given in overrides if given.startswith("experiment=")]
        raise BadInput(in_our_words(error, found[-1] if found else "experiment=game")) from None


def in_our_words(error: Exception, experiment: str) -> str:
    """One line out of Hydra's several; ``experiment``: the override that says which."""
    text = str(error)
    if found := re.search(r"Could not override '([^']+)'", text):
        key = found[1]
        if other := of_the_other(key, experiment.partition("=")[2]):
            return other
        if "No match in the defaults list" in text:
            groups = sorted(path.name for path in CONF.iterdir() if path.is_dir())
            return unknown("group", key, groups, "")
        return unknown("setting", key, list(settings_keys(experiment)), "see heuresis run --cfg job")
    if found := re.search(r"Could not find '([\w/@.-]+)/([^'/]+)'", text):
        group = found[1].split("@")[0]
        return unknown(group, found[2], rows_of(group), "or a task's folder: task=./NAME" if group == "task" else "")
    return f"override: {first_line(error)}"


def needed(error: Exception) -> str:
    """A value that must be given, or an interpolation that leads nowhere."""
    found = re.search(r"full_key: ([\w.\[\]-]+)", str(error))
    key = found[1] if found else "config"
    if "Interpolation key 'cast." in str(error):
        return f"{key}: the cast names none; add {key}=... to the command"
    if "Missing mandatory value" in str(error) or "MISSING" in str(error):
        return f"{key}: must be set; add {key}=... to the command"
    return f"{key}: {first_line(error)}"


def keys_of(experiment: str) -> set[str]:
    """Every dotted key that ``experiment=NAME`` has a value for."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return set(settings_keys(f"experiment={experiment}"))


def settings_keys(experiment: str) -> Iterator[str]:
    """Every dotted key of an experiment's composition."""

    def walk(node: Any, prefix: str) -> Iterator[str]:
        for key, value in node.items():
            yield prefix + str(key)
            if isinstance(value, dict):
                yield from walk(value, f"{prefix}{key}.")

    yield from walk(OmegaConf.to_container(compose("config", overrides=[experiment]), resolve=False), "")


def first_line(error: Exception) -> str:
    """The first line of an error that has several."""
    return str(error).strip().split("\n")[0]
