"""The rows of a made study, table by table, with the real schemas: what its units would have left."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from made_study import MODELS, QUESTIONS, SELECTORS

from pipelines.gather import ROWS_A_GROUP
from pipelines.table import OF_GAMES, schema

GAMES_A_CHUNK = 1500
CARD_EVERY, SENTENCES, LINES, BATCH = 10, 4000, 48, 25
NOW = datetime(2026, 6, 1, tzinfo=UTC)
WORDS = (
    "attention gradient memory token estimate variance layer sparse kernel reward policy cache graph search tree prior"
    " sample noise bound loss margin schedule encoder residual cluster index block tile query answer horizon budget"
).split()
ANSWERS = pa.array(["YES", "NO", "UNKNOWN"])

Numbers = np.ndarray[Any, Any]
Rows = Iterator[tuple[str, pa.Table]]


def texts(words: int, ends: str) -> pa.Array:
    """A bounded set of sentences of about so many words."""
    rng = np.random.default_rng(words)
    drawn = rng.integers(len(WORDS), size=(SENTENCES, words))
    return pa.array([" ".join(WORDS[place] for place in row).capitalize() + ends for row in drawn])


QUESTION, SHORT, LONG = texts(16, "?"), texts(28, "."), texts(70, ".")


def write(units: pd.DataFrame, folder: Path, seed: int = 0) -> None:
    """A run's tables."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    writers = {name: pq.ParquetWriter(folder / f"{name}.parquet", schema(name)) for name in OF_GAMES}
    for _, chunk in units.groupby(units["place"] // GAMES_A_CHUNK):
        for name, table in rows_of(chunk, rng):
            writers[name].write_table(table, row_group_size=ROWS_A_GROUP)
    for writer in writers.values():
        writer.close()


def rows_of(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
    """The rows of some units, in all tables."""
    ended = {"status": "ok", "round": 0, "finished_at": NOW, "seconds": 90.0, "truncated": "none"}
    every = units.assign(**ended, contaminated=False)
    yield "units", made("units", every, np.arange(len(every)))
    for kind, own in every.groupby("kind", sort=False):
        yield from OF_KIND[str(kind)](own.reset_index(drop=True), rng)


def made(table: str, units: pd.DataFrame, rows: Numbers, **values: Any) -> pa.Table:
    """``rows`` tells which unit each row is of; a column that neither has is NULL."""
    arrays = []
    for field in schema(table):
        value = values.get(field.name)
        if isinstance(value, pa.Array | np.ndarray):
            arrays.append(pa.array(value, field.type))
        elif value is not None:
            arrays.append(pa.repeat(pa.scalar(value, field.type), len(rows)))
        elif field.name in units:
            arrays.append(pa.array(units[field.name], field.type, from_pandas=True).take(pa.array(rows)))
        else:
            arrays.append(pa.nulls(len(rows), field.type))
    return pa.Table.from_arrays(arrays, schema=schema(table))


def spread(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Which unit each row is of, and the number of the row in it, from 0."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)


def drawn(rng: np.random.Generator, of: pa.Array, count: int, p: Sequence[float] | None = None) -> pa.Array:
    """So many of some values, with replacement."""
    return of.take(pa.array(rng.choice(len(of), size=count, p=p)))


def flags(rng: np.random.Generator, p: Numbers | float, count: int) -> pa.Array:
    """Flags that hold so often."""
    return pa.array(rng.random(count) < p)


def calls(
    units: pd.DataFrame, rng: np.random.Generator, seat: str, turns: Numbers, caller: Any
) -> tuple[str, pa.Table]:
    """As many calls of one seat as ``turns`` says of each unit."""
    rows, number = spread(turns)
    n = len(rows)
    tokens = rng.integers(300, 9000, n)
    asked = caller if isinstance(caller, str) else pa.array(caller, pa.string()).take(pa.array(rows))
    said = {"used": True, "attempt": 0, "round": 0, "part": "", "tries": 1, "lost": 0, "finish_reason": "stop"}
    counted = {
        "prompt_tokens": tokens,
        "completion_tokens": rng.integers(5, 300, n),
        "cached_tokens": tokens // 2,
        "cost": tokens * 1e-7,
        "latency": rng.random(n),
    }
    own = {"seat": seat, "turn": number + 1, "caller": asked, "prompt": "0123456789ab", "started_at": NOW}
    return "calls", made("calls", units, rows, **said, **counted, **own)


def cards_of(units: pd.DataFrame) -> tuple[Numbers, Numbers]:
    """Which unit each card is of, and t: a fork has those after its cut, another game one before any question too."""
    cut = units["cut"].fillna(-CARD_EVERY).to_numpy(dtype=np.int64)
    rows, number = spread((units["questions"].to_numpy(dtype=np.int64) - cut) // CARD_EVERY)
    return rows, cut[rows] + CARD_EVERY * (number + 1)


def played(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
    """Turns, cards and calls of games, forks and pooled games."""
    cut = units["cut"].fillna(0).to_numpy(dtype=np.int64)
    length = units["questions"].to_numpy(dtype=np.int64) - cut
    rows, number = spread(length)
    n = len(rows)
    marks = {name: flags(rng, 0.02, n) for name in ("empty", "compound", "not_yes_no", "repeat")}
    asked = {"question": drawn(rng, QUESTION, n), "answer": drawn(rng, ANSWERS, n, (0.25, 0.35, 0.4))}
    prompts = {"prompt": "aaaaaaaaaaaa", "answer_prompt": "bbbbbbbbbbbb"}
    yield "turns", made("turns", units, rows, t=cut[rows] + number + 1, samples=1, **marks, **asked, **prompts)
    card, t = cards_of(units)
    m = len(card)
    parts = {"contribution": drawn(rng, SHORT, m), "approach": drawn(rng, LONG, m), "components": drawn(rng, SHORT, m)}
    said = {"novelty": drawn(rng, SHORT, m), "confidence": rng.integers(0, 101, m), "prompt": "cccccccccccc"}
    yield "cards", made("cards", units, card, t=t, **parts, **said)
    for seat, caller in (("question", units["model"]), ("answer", "oracle")):
        yield calls(units, rng, seat, length, caller)
    yield calls(units, rng, "card", np.bincount(card, minlength=len(units)), units["model"])


def pools(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
    """Pooled games: four proposals a turn, one picked."""
    yield from played(units, rng)
    size = len(SELECTORS)
    rows, number = spread(units["questions"].to_numpy(dtype=np.int64) * size)
    n = len(rows)
    turn = np.repeat(rng.integers(size, size=n // size), size)
    order = np.argsort(rng.random((n // size, size)), axis=1).ravel()
    best = (units["selection"] == "best_of").to_numpy()[rows]
    proposer = np.where(best, units["model"].to_numpy(dtype="object")[rows], np.array(SELECTORS, dtype="object")[order])
    own = {"t": number // size + 1, "position": number % size + 1, "proposer": proposer}
    yield "picks", made("picks", units, rows, chosen=number % size == turn, question=drawn(rng, QUESTION, n), **own)


def judgings(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
    """Ratings that rise towards a game's level; one in two hundred is missing."""
    rows, t = cards_of(units)
    n = len(rows)
    bias = units["reader"].map({"lenient": 0.7, "patron": 0.2}).fillna(0.0).to_numpy()
    rise = units["level"].to_numpy()[rows] * (1 - 0.8 * np.exp(-t / 35))
    score = np.clip(np.rint(1 + rise + bias[rows] + rng.normal(0, 0.6, n)), 1, 10)
    lost = rng.random(n) < 0.005
    given = pa.array(score.astype(np.int64), mask=lost)
    own = {"t": t, "judge": pa.array(units["reader"]).take(pa.array(rows)), "prompt": "dddddddddddd"}
    yield "ratings", made("ratings", units, rows, score=given, rationale=drawn(rng, SHORT, n), **own)
    yield calls(units, rng, "rating", np.bincount(rows, minlength=len(units)), units["reader"])


def probes(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
    """Three lists of ten."""
    rows, number = spread(np.full(len(units), 30))
    own = {"sample": number // 10, "number": number % 10 + 1, "idea": drawn(rng, SHORT, len(rows))}
    yield "candidates", made("candidates", units, rows, **own, prompt="eeeeeeeeeeee")
    yield calls(units, rng, "candidates", np.full(len(units), 3), units["model"])


def recognitions(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
    """Whether a probe lists the idea, by what the paper and the model are, so that annotators mostly agree."""
    n = len(units)
    place = units["model"].map({name: place for place, name in enumerate(MODELS)}).to_numpy()
    known = (pd.util.hash_pandas_object(units["paper"], index=False).to_numpy() % 10) < place + 1
    found = pa.array(known ^ (rng.random(n) < 0.05))
    own = {"annotator": pa.array(units["reader"]), "rationale": drawn(rng, SHORT, n), "prompt": "ffffffffffff"}
    yield "recognitions", made("recognitions", units, np.arange(n), listed=found, candidate=1, **own)
    yield calls(units, rng, "recognition", np.ones(n, dtype=np.int64), units["reader"])


def readings(
    table: str,
    seat: str,
    reader: str,
    more: Callable[[pd.DataFrame, Numbers, Numbers, np.random.Generator], Mapping[str, Any]],
) -> Callable[[pd.DataFrame, np.random.Generator], Rows]:
    """What a reader says of every question; ``more`` gives the columns, NULL in one row of a thousand."""

    def rows_of_readings(units: pd.DataFrame, rng: np.random.Generator) -> Rows:
        rows, number = spread(np.full(len(units), QUESTIONS + (table == "mentions")))
        said = more(units, rows, number + 1, rng)
        own = {reader: pa.array(units["reader"]).take(pa.array(rows)), "prompt": "abcabcabcabc"}
        yield table, made(table, units, rows, **{"t": number + 1, **own, **said})
        each = QUESTIONS if table == "answers" else QUESTIONS // BATCH
        yield calls(units, rng, seat, np.full(len(units), each), units["reader"])

    return rows_of_readings


def mentioned(units: pd.DataFrame, rows: Numbers, t: Numbers, rng: np.random.Generator) -> Mapping[str, Any]:
    """Core and decoy, the more often where the survey names them; both annotators see the same but for slips."""
    seen = np.repeat(rng.random((len(units) // 2, QUESTIONS + 1)), 2, axis=0).ravel()
    shown = units["condition"].to_numpy(dtype="object")[rows]
    both = {}
    for idea, own in (("core", ("full",)), ("decoy", ("full", "decoy"))):
        p = np.where(np.isin(shown, own), 0.02, 0.004)
        both[idea] = pa.array((seen < p) | (rng.random(len(rows)) < 0.002))
    place = pa.array(["question", "card"]).take(pa.array((t > QUESTIONS).astype(np.int64)))
    return {**both, "place": place, "t": np.minimum(t, QUESTIONS)}


def lined(units: pd.DataFrame, rows: Numbers, t: Numbers, rng: np.random.Generator) -> Mapping[str, Any]:
    """A line by the question, with slips."""
    line = (t * 7 + np.arange(len(rows)) // (2 * QUESTIONS)) % (LINES + 1)
    slips = rng.random(len(rows)) < 0.1
    return {"line": np.where(slips, 0, line), "inserted": 17, "of": LINES}


def parented(units: pd.DataFrame, rows: Numbers, t: Numbers, rng: np.random.Generator) -> Mapping[str, Any]:
    """The question before, one of the ten before that, or the problem."""
    lot = rng.random(len(rows))
    back = np.where(lot < 0.5, 1, rng.integers(1, 11, len(rows)))
    parent = np.where(lot > 0.92, 0, np.maximum(t - back, 0))
    return {"parent": pa.array(parent, mask=rng.random(len(rows)) < 0.002), "repaired": False}


def answered(units: pd.DataFrame, rows: Numbers, t: Numbers, rng: np.random.Generator) -> Mapping[str, Any]:
    """Another answerer's answers."""
    return {"answer": drawn(rng, ANSWERS, len(rows), (0.2, 0.4, 0.4))}


OF_KIND: Mapping[str, Callable[[pd.DataFrame, np.random.Generator], Rows]] = {
    "game": played,
    "fork": played,
    "pool": pools,
    "probe": probes,
    "judging": judgings,
    "recognition": recognitions,
    "mentions": readings("mentions", "mentions", "annotator", mentioned),
    "lines": readings("lines", "lines", "annotator", lined),
    "tree": readings("parents", "parents", "annotator", parented),
    "answers": readings("answers", "answer", "answerer", answered),
}
