"""What a search's branches come to, told while it goes on: read from the driver's own journal as it grows."""

from pathlib import Path
from textwrap import shorten

import orjson

from actors.journal import unit_of
from pipelines.search_status import LETTERS

TOLD = b'"kind":"end"'


class News:
    """The branches that have ended since it was last asked."""

    def __init__(self, journal: Path) -> None:
        self._journal, self._read = journal, 0
        self._best: dict[str, float] = {}

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
        return [self._line(row) for row in tail[:whole].splitlines() if TOLD in row and b'{"fact":' in row]

    def _line(self, row: bytes) -> str:
        line, _, said = row.partition(b"\t")
        search = unit_of(line.decode())[0].split("/")
        value = orjson.loads(said)["fact"]["value"]
        attempt, title = value["attempt"], value["title"]
        own = f"{search[1]} {search[2]} {search[5]}"
        score = attempt["score"]
        if score is None:
            came = attempt["error"] or "nothing right"
        else:
            best = self._best[own] = max(score, self._best.get(own, 0.0))
            came = f"{100 * score:.1f}, best measured {100 * best:.1f}"
        about = shorten(title, LETTERS, placeholder=" ...")
        return f"{own}  branch {attempt['branch']}: {came}, {attempt['executions']} executions  {about}"
