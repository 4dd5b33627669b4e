"""Small runs made by hand: the five tables with the real schemas, for tests of analysis and report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.table import TABLES, schema

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
Record = dict[str, object]


@dataclass
class Made:
    """Rows by table, and how to write them as a run folder."""

    rows: dict[str, list[Record]] = field(default_factory=lambda: {name: [] for name in TABLES})

    def add(self, table: str, **values: object) -> None:
        """One row; what is not given is NULL."""
        unknown = set(values) - set(schema(table).names)
        assert not unknown, unknown
        self.rows[table].append(values)

    def write(self, folder: Path) -> Path:
        """A run folder with ``tables/*.parquet``."""
        (folder / "tables").mkdir(parents=True)
        for name in self.rows:
            pq.write_table(self._arrow(name), folder / "tables" / f"{name}.parquet")
        return folder

    def frame(self, table: str) -> pd.DataFrame:
        """One table as pandas reads it."""
        return self._arrow(table).to_pandas()

    def _arrow(self, table: str) -> pa.Table:
        full = [{column: row.get(column) for column in schema(table).names} for row in self.rows[table]]
        return pa.Table.from_pylist(full, schema=schema(table))

    def game(
        self,
        scores: Mapping[int, Mapping[str, int | None]],
        *,
        paper: str = "p1",
        model: str = "m",
        condition: str = "none",
        replicate: int = 0,
        questions: int = 10,
        status: str = "ok",
        error_kind: str | None = None,
        contaminated: bool | None = False,
        text: str = "Is it a loss?",
        make: str = "",
    ) -> str:
        """One game with its cards (the keys of ``scores``), turns, calls and the judges' ratings; returns its unit."""
        keys: Record = {"paper": paper, "model": model, "condition": condition, "replicate": replicate}
        unit = f"game/{model}/{paper}/{condition}/{replicate}/{questions}{make}"
        ended: Record = {"round": 0, "finished_at": NOW, "seconds": 1.0}
        self.add(
            "units",
            **{**keys, **ended, "unit": unit, "kind": "game", "game": unit, "questions": questions, "status": status},
            error_kind=error_kind,
            error="it broke" if error_kind else None,
            contaminated=contaminated,
            truncated="none",
        )
        if status == "ok":
            self._played(unit, keys, questions, scores, text)
        for judge in sorted({judge for given in scores.values() for judge in given}):
            self._judged(
                unit, keys, questions, judge, {t: given[judge] for t, given in scores.items() if judge in given}
            )
        return unit

    def _played(
        self, unit: str, keys: Record, questions: int, scores: Mapping[int, Mapping[str, int | None]], text: str
    ) -> None:
        for t in range(1, questions + 1):
            answer = ("YES", "NO", "UNKNOWN")[t % 3]
            flags: Record = {"empty": False, "compound": t == 2, "not_yes_no": False, "repeat": t == 4}
            self.add("turns", **{**keys, **flags}, unit=unit, t=t, question=f"{text} ({t})", answer=answer, samples=1)
            self.call(unit, keys, "question", t, prompt=100, cached=50)
            self.call(unit, keys, "answer", t, prompt=1000, cached=900)
        for t in scores:
            card: Record = {
                "contribution": f"idea of {unit} after {t}",
                "approach": "it is done",
                "novelty": "all of it",
            }
            self.add("cards", **{**keys, **card}, unit=unit, t=t, components="one part\nanother part", confidence=40)
            self.call(unit, keys, "card", t, prompt=200, cached=0)

    def _judged(self, game: str, keys: Record, questions: int, judge: str, given: Mapping[int, int | None]) -> None:
        unit = f"judging/{judge}/{game}"
        bad = any(score is None for score in given.values())
        self.add(
            "units",
            **{**keys, "unit": unit, "kind": "judging", "reader": judge, "game": game, "questions": questions},
            status="error" if bad else "ok",
            error_kind="rating" if bad else None,
            round=0,
        )
        for t, score in given.items():
            reason = None if score is None else f"{judge} sees {score} parts"
            self.add("ratings", **keys, unit=unit, game=game, t=t, judge=judge, score=score, rationale=reason)

    def call(
        self,
        unit: str,
        keys: Record,
        seat: str,
        turn: int,
        prompt: int | None,
        cached: int | None,
        cost: float | None = 0.001,
    ) -> None:
        """One call of the inquisitor's model."""
        told: Record = {"prompt_tokens": prompt, "completion_tokens": 10, "cached_tokens": cached, "cost": cost}
        self.add(
            "calls",
            **{**keys, **told, "unit": unit, "seat": seat, "turn": turn, "caller": keys["model"]},
            attempt=0,
            latency=0.1,
            tries=1,
            lost=0,
            started_at=NOW,
        )


def panel(*scores: int | None) -> dict[str, int | None]:
    """Ratings by judges a, b, c in that order."""
    return dict(zip("abc", scores, strict=False))


def study(models: Sequence[str] = ("alpha", "beta"), papers: int = 3, replicates: int = 2) -> Made:
    """Several models, papers and replicates with a panel of two, ten questions, scores that grow and differ."""
    made = Made()
    for place, model in enumerate(models):
        for paper in range(papers):
            for replicate in range(replicates):
                start = 1 + (paper + replicate) % 3
                end = min(10, start + 2 + place + (paper * replicate) % 2)
                made.game(
                    {0: panel(start, start + 1), 10: panel(end, min(10, end + 1))},
                    paper=f"p{paper}",
                    model=model,
                    replicate=replicate,
                )
    return made
