"""What a run of the questioning game plays: games, their judgings, or both."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from actors.inquisitor import Strategy
from actors.survey import Condition
from pipelines.settings import ROOT, Names, Settings, Some, Where, no_repeats


def papers_word(value: object) -> object:
    """One message for what may stand in ``papers``, rather than one for each way it may be read."""
    if value == "all" or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    if isinstance(value, list | tuple) and value and all(isinstance(one, str) for one in value):
        return no_repeats(value)
    if isinstance(value, str):
        return [value]
    raise ValueError("must be all, a number from 1, or a list of ids")


class GameSettings(Settings):
    """One run of the game."""

    experiment: Literal["game", "judge", "demo"]
    judging: bool
    from_: Annotated[tuple[Where, ...], Some, Field(alias="from")] = ()
    inquisitors: Names
    answerer: str
    judges: Names
    strategy: Strategy
    papers: Annotated[Literal["all"] | int | tuple[str, ...], BeforeValidator(papers_word)]
    papers_dir: Where | None = None
    surveys_dir: Where | None = None
    condition: Annotated[tuple[Condition, ...], Some, Field(min_length=1)]
    questions: Annotated[int, Field(ge=1, le=1000)]
    card_every: Annotated[int, Field(ge=1, le=1000)]

    @model_validator(mode="after")
    def nothing_is_executed(self) -> "GameSettings":
        """N is a search's."""
        if self.budget.executions is not None:
            raise ValueError("budget.executions: a game has none; it is a key of experiment=idea_search")
        return self

    @property
    def papers_folder(self) -> Path:
        """Where the papers are."""
        return self.papers_dir or ROOT / "datasets" / "papers"

    @property
    def surveys_folder(self) -> Path:
        """Where the surveys are."""
        return self.surveys_dir or ROOT / "datasets" / "surveys"

    @property
    def seated(self) -> list[str]:
        """Inquisitors, answerer and judges, or the judges alone."""
        if self.experiment == "judge":
            return list(self.judges)
        judges = self.judges if self.judging else ()
        return list(dict.fromkeys([*self.inquisitors, self.answerer, *judges]))
