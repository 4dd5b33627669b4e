"""The two families of experiments: which settings are whose, told by ``experiment``."""

from typing import Any

from actors.row import parse
from pipelines.game_settings import GameSettings
from pipelines.search_settings import SearchSettings
from pipelines.settings import Settings

SEARCH = "idea_search"
AnySettings = GameSettings | SearchSettings


def read(values: Any, where: str) -> AnySettings:
    """Plain values as the settings of their family; BadInput names the first thing that is wrong."""
    if isinstance(values, dict) and values.get("experiment") == SEARCH:
        return parse(SearchSettings, values, where)
    return parse(GameSettings, values, where)


def own_keys(kind: type[Settings]) -> set[str]:
    """The keys that one family has and the other has not."""
    return {field.alias or name for name, field in kind.model_fields.items() if name not in Settings.model_fields}


def of_the_other(key: str, experiment: str) -> str:
    """Why ``key`` is not for this experiment, where it is one of the other family's; else nothing."""
    name, searching = key.split(".")[0], experiment == SEARCH
    if name in own_keys(GameSettings if searching else SearchSettings):
        other = "the questioning game" if searching else "the idea search"
        return f"{key}: is a key of {other}, and this is experiment={experiment}; drop it"
    return ""
