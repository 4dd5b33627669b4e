"""What a search's branches come to, told while it goes on: read from the driver's own journal as it grows."""

from collections.abc import Iterable
from pathlib import Path
from textwrap import shorten

import orjson

from actors.journal import unit_of
from actors.recorded import Fact
from pipelines.search_status import LETTERS, SO_FAR, best_measured, x100
from solvers.branches.facts import END

TOLD = (b'"kind":"end"', b'"kind":"execution"')


class News:
    """The branches that have ended since it was last asked."""

    def __init__(self, journal: Path) -> None:
        self._journal, self._read = journal, 0
        self._best: dict[str, float] = {}  # by search

    def begin(self, unit: str, facts: Iterable[Fact]) -> None:
        """A search goes on from what is recorded of it, or begins anew."""
        self._best.pop(unit, None)
        self._take(unit, best_measured(facts))

    def lines(self) -> list[str]:
        """A line for each."""
        try:
            with self._journal.open("rb") as file:
                file.seek(self._read)
                tail = file.read()
        except FileNotFoundError:
            return []
        whole = tail.rfind(b"\n") + 1
        self._read += whole
        told = [row for row in tail[:whole].splitlines() if b'{"fact":' in row and any(kind in row for kind in TOLD)]
        return [line for row in told if (line := self._line(row))]

    def _take(self, unit: str, best: float | None) -> None:
        if best is not None:
            self._best[unit] = max(best, self._best.get(unit, best))

    def _line(self, row: bytes) -> str:
        """Of a branch that has ended; "" of an execution, which may be the best."""
        name, _, said = row.partition(b"\t")
        unit, fact = unit_of(name.decode())[0], Fact.model_validate(orjson.loads(said)["fact"])
        self._take(unit, best_measured([fact]))
        if fact.kind != END or fact.value is None:
            return ""
        attempt, title, search = fact.value["attempt"], fact.value["title"], unit.split("/")
        came = attempt["error"] or "nothing right" if attempt["score"] is None else x100(attempt["score"])
        about = shorten(title, LETTERS, placeholder=" ...")
        best = f"{SO_FAR}: {x100(self._best.get(unit))}"
        where = f"{search[1]} {search[2]} {search[5]} branch {attempt['branch']} '{about}'"
        return f"{where}: {came}, {attempt['executions']} executions; {best}"
