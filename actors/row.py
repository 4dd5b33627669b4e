"""The one ancestor of everything that crosses Ray or goes to disk: frozen, closed to unknown keys."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from actors.errors import BadInput


class Row(BaseModel):
    """A frozen pydantic row; a key that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


T = TypeVar("T", bound=Row)


def parse(kind: type[T], data: object, where: str) -> T:
    """``data`` as a ``kind``; BadInput names the first thing that is wrong and ``where`` it stands."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "(whole)"
        said = "unknown key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise BadInput(f"{where}: {place}: {said}{more}") from None
