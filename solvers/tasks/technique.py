"""Known techniques, their parameters, and which of them go together."""

from collections.abc import Iterable
from keyword import iskeyword
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StrictInt, StrictStr, model_validator

from actors.row import Row

Value = StrictInt | StrictStr
TEMPLATE_WORDS = {"self", "loop", "caller", "varargs", "kwargs", "true", "false", "none", "range", "dict"}


def identifier(name: str) -> str:
    """A name that a template can use."""
    if (
        not (name.isascii() and name.isidentifier())
        or name.startswith("_")
        or iskeyword(name)
        or name in TEMPLATE_WORDS
    ):
        raise ValueError(f"{name!r} is no name that a template can use")
    return name


Name = Annotated[str, AfterValidator(identifier)]


class Parameter(Row):
    """A number or word to tune."""

    values: tuple[Value, ...] = Field(min_length=1)
    """In an order that a search can walk."""
    default: Value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.values)) < len(self.values):
            raise ValueError("a value stands twice")
        if self.default not in self.values:
            raise ValueError(f"default {self.default!r} is not one of the values")
        return self


class Technique(Row):
    """Something that a solution may do."""

    id: Name
    about: str
    """One line that an idea can name it by."""
    excludes: tuple[str, ...] = ()
    """Cannot be combined; either side may say it."""
    needs: tuple[str, ...] = ()
    """Goes only together with these."""
    parameters: dict[Name, Parameter] = Field(default_factory=dict)

    def defaults(self) -> dict[str, Value]:
        """Every parameter at its default."""
        return {name: parameter.default for name, parameter in self.parameters.items()}


class Choice(Row):
    """Techniques that are on, each with values of its parameters; what is not said is at its default."""

    techniques: dict[str, dict[str, Value]] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """The choice in one line; of complete choices, each has its own."""
        shown = (
            " ".join([technique, *(f"{name}={value!r}" for name, value in values.items())])
            for technique, values in self.techniques.items()
        )
        return " + ".join(shown) or "plain"


class Techniques:
    """All techniques of a task, in the catalogue's order, and what may be on at a time."""

    def __init__(self, techniques: Iterable[Technique]) -> None:
        self.by_id = {technique.id: technique for technique in techniques}
        self._rank = {name: rank for rank, name in enumerate(self.by_id)}
        self._foes = {
            one: {other for other in self.by_id if other in mine.excludes or one in self.by_id[other].excludes}
            for one, mine in self.by_id.items()
        }

    def ordered(self, names: Iterable[str]) -> list[str]:
        """In the catalogue's order."""
        return sorted(names, key=self._rank.__getitem__)

    def with_needs(self, names: Iterable[str]) -> set[str]:
        """``names`` and all that they need, and what that needs."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self.by_id[name].needs)
        return found

    def conflict(self, names: Iterable[str]) -> tuple[str, str] | None:
        """The first two of ``names`` that cannot be combined."""
        on = self.ordered(names)
        return next(((one, other) for one in on for other in on if other in self._foes[one]), None)

    def foes(self, name: str) -> set[str]:
        """What cannot be combined with ``name``."""
        return self._foes[name]

    def default_choice(self, names: Iterable[str]) -> Choice:
        """``names`` and what they need, all at defaults."""
        on = self.ordered(self.with_needs(names))
        return Choice(techniques={name: self.by_id[name].defaults() for name in on})
