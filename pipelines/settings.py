"""What every run has: values of conf/ that both families share, checked once, frozen. YAML holds the values.

What a family plays stands in game_settings.py and search_settings.py.
"""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from actors.budget import Caps, Whole
from actors.model import Spec
from actors.row import Row
from actors.survey import Condition

ROOT = Path(__file__).resolve().parent.parent


def as_list(value: object) -> object:
    """One value stands for a list of one."""
    return [value] if isinstance(value, str | int | Path) else value


def no_repeats(value: object) -> object:
    """The list with each value once, in order: naming a thing twice must not play it twice."""
    if not isinstance(value, list | tuple) or any(isinstance(one, dict | list) for one in value):
        return value
    return list(dict.fromkeys(value))


Some = BeforeValidator(lambda value: no_repeats(as_list(value)))
Names = Annotated[tuple[str, ...], Some, Field(min_length=1)]
Pick = Annotated[Annotated[tuple[str, ...], Field(min_length=1)] | None, Some]


def named(value: object) -> object:
    """A folder has a name: an empty one would be the folder that the command happens to run in."""
    if value == "":
        raise ValueError("must name a folder")
    return value


# Absolute: a run must be found from any folder, by any process.
Where = Annotated[Path, BeforeValidator(named), AfterValidator(Path.resolve)]


class Only(Row):
    """What of the run is done now; None is everything."""

    paper: Pick = None
    model: Pick = None
    replicate: Annotated[Annotated[tuple[int, ...], Field(min_length=1)] | None, Some] = None
    condition: Annotated[Annotated[tuple[Condition, ...], Field(min_length=1)] | None, Some] = None

    def leaves(self, choices: Mapping[str, Any]) -> bool:
        """Whether it leaves in what has these values, by key."""
        return all(value in (getattr(self, key) or (value,)) for key, value in choices.items())


class Actors(Row):
    """How many actors stand for each model in a seat; branch: for a task, None is as many as run at once."""

    inquisitor: Annotated[int, Field(ge=1)] = 1
    answerer: Annotated[int, Field(ge=1)] = 1
    judge: Annotated[int, Field(ge=1)] = 1
    annotator: Annotated[int, Field(ge=1)] = 1
    search: Annotated[int, Field(ge=1)] = 1
    branch: Annotated[int, Field(ge=1)] | None = None


NotNegative = Annotated[float, Field(ge=0)]


class Needs(Row):
    """What each actor of a seat reserves: CPU, GPU, or a resource that nodes were started with.

    branch: None is what its task asks for.
    """

    inquisitor: dict[str, NotNegative] = Field(default_factory=dict)
    answerer: dict[str, NotNegative] = Field(default_factory=dict)
    judge: dict[str, NotNegative] = Field(default_factory=dict)
    annotator: dict[str, NotNegative] = Field(default_factory=dict)
    search: dict[str, NotNegative] = Field(default_factory=dict)
    branch: dict[str, NotNegative] | None = None


class Cluster(Row):
    """Where the actors stand, and how many units may be under way at once.

    placement: pools has an actor for each seat, colocated has a game's seats in one. patience: seconds that a lost
    actor is waited for.
    """

    ray: bool
    address: str | None = None
    placement: Literal["pools", "colocated"]
    in_flight: Annotated[int, Field(ge=1)]
    actors: Actors
    needs: Needs
    patience: Annotated[float, Field(gt=0)]


def failures_word(value: object) -> object:
    """One message for what may stand in ``fail_over``."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if value is None or whole or (isinstance(value, float) and 0 < value < 1):
        return value
    raise ValueError("must be null, a count from 1, or a fraction between 0 and 1")


FailOver = Annotated[int | float | None, BeforeValidator(failures_word)]


class PoolSeats(Row):
    """Who proposes questions, one as often as it is named, and who picks.

    random names the card writer of a random pick; best_of who picks from as many proposals of its own.
    """

    proposers: Annotated[tuple[str, ...], BeforeValidator(as_list), Field(min_length=2)]
    selectors: Names
    random: str | None = None
    best_of: str | None = None


class Cast(Row):
    """Names of models, by seat: of the game, of the experiments on it, of the idea search. A cast need not have all.

    annotators: of mentions, lines and probes; the paper has two. answerers: candidates for the answerer's seat.
    own_family: by judge, the inquisitors that count as its own family in Table 4; left_out: by inquisitor, the judge
    that Table 5 does without. Where they name nobody, the models' families decide.
    """

    inquisitors: Names
    answerer: str
    judges: Names
    annotators: Names | None = None
    tree_annotator: str | None = None
    answerers: Names | None = None
    pool: PoolSeats | None = None
    own_family: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)
    manager: str | None = None
    coder: str | None = None


class Place(Row):
    """Where a run's own folder is; None is a folder named after what is played."""

    dir: Where | None = None


class Budget(Caps):
    """Caps on what a command spends; and N, the executions of a search, which are part of what is played."""

    executions: Whole | None = None

    @property
    def caps(self) -> Caps:
        """The caps alone."""
        return Caps(**self.model_dump(exclude={"executions"}))


ELSEWHERE = {"only", "force", "fail_over", "budget", "cluster", "outputs", "store", "run", "cast", "models"}
"""Keys that say where, how fast, or which part of it now, and not what is played."""


class Settings(Row):
    """One run, of either family."""

    experiment: str
    cast: Cast
    models: dict[str, Spec] = Field(default_factory=dict)
    replicates: Annotated[int, Field(ge=1, le=10_000)]
    seed: Annotated[int, Field(ge=0, lt=2**31)]
    only: Only
    force: bool
    fail_over: FailOver
    budget: Budget
    cluster: Cluster
    outputs: Where
    store: Where
    run: Place

    @model_validator(mode="after")
    def models_are_called_as_they_are_named(self) -> "Settings":
        """A model's file, its name in config and its name in tables are one."""
        for key, spec in self.models.items():
            if key != spec.name:
                raise ValueError(f"models.{key}: its name is '{spec.name}'; make them one")
        return self

    @model_validator(mode="after")
    def dollars_need_prices(self) -> "Settings":
        """A cap in dollars holds only where every price is known."""
        for name in self.seated if self.budget.dollars is not None else ():
            price = self.models[name].price
            if price.input is None or price.output is None:
                raise ValueError(
                    f"budget.dollars: the price of '{name}' is unknown; set models.{name}.price.input and "
                    f"models.{name}.price.output (USD per million tokens), or cap budget.tokens"
                )
        return self

    @property
    @abstractmethod
    def seated(self) -> list[str]:
        """Every model that this run may ask, once."""

    def played(self) -> dict[str, Any]:
        """What is played, as plain values."""
        content: dict[str, Any] = self.model_dump(mode="json", exclude=ELSEWHERE)
        content["models"] = {name: self.models[name].identity() for name in self.seated}
        return content

    @property
    def digest(self) -> str:
        """Eight hex digits over what is played."""
        return hashlib.sha256(json.dumps(self.played(), sort_keys=True).encode()).hexdigest()[:8]

    @property
    def folder(self) -> Path:
        """The run's own folder."""
        return self.run.dir or self.outputs / f"{self.experiment}-{self.digest}"
