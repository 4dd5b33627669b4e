"""``heuresis show``: one unit's story in the terminal; here a game's: questions, cards, what the judges said."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from actors.errors import BadInput
from pipelines.game_unit import PLAYED
from pipelines.search_story import branch_story, say_one, say_search, search_story
from pipelines.store import Store

COLOURS = {"YES": "green", "NO": "red", "UNKNOWN": "yellow"}


def find(store: Store, name: str) -> str:
    """The one finished unit whose id, or whose digest, begins with ``name``."""
    ids = store.units()
    if name in ids:
        return name
    found = [unit for unit in ids if unit.startswith(name) or unit.rsplit("/", 1)[1].startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(sorted(found)[:3])
        raise BadInput(f"'{name}' begins {len(found)} units in {store.folder} ({listed}, ...); give more of one")
    raise BadInput(f"no finished unit '{name}' in {store.folder}; see tables/units.parquet of a run, or give --store")


def told(
    store: Store, unit: str, branch: int | None
) -> tuple[dict[str, Any], Callable[[dict[str, Any], Console], None]]:
    """A unit's story, or that of one branch of a search, and what says it."""
    if unit.startswith("search/"):
        record = store.plain(unit)
        return (search_story(record), say_search) if branch is None else (branch_story(record, branch), say_one)
    if branch is not None:
        raise BadInput(f"--branch {branch}: {unit} is no search, and has no branches; drop it")
    return story(store, unit), say


def story(store: Store, unit: str) -> dict[str, Any]:
    """What was played, with its ratings; for a reading, what it reads and what it says of that."""
    record = store.plain(unit)
    if record["parent"] and not store.finished(record["parent"]):
        raise BadInput(f"{unit}: its game is being played again; finish that run first")
    own = unit.split("/")[0] in PLAYED
    game = record if own else store.plain(record["parent"])
    path = game["unit"].rsplit("/", 1)[0]
    beside = (store.plain(one) for one in store.units() if one.startswith(f"judging/{path}/"))
    ratings = {
        one["unit"].split("/")[-2]: one["rows"].get("ratings", []) for one in beside if one["parent"] == game["unit"]
    }
    keep = ("unit", "status", "error_kind", "error", "rows", "finished_at", "seconds", "host")
    told = {name: game[name] for name in keep}
    reading = None if own else {"reader": unit.split("/")[-2], "rows": record["rows"]}
    return {**told, "source": game["parent"], "calls": len(game["calls"]), "ratings": ratings, "reading": reading}


def say(found: dict[str, Any], console: Console) -> None:
    """The same for a reader."""
    console.print(Text(found["unit"], style="bold"), soft_wrap=True)
    if found["reading"]:
        console.print(f"  as {found['reading']['reader']} reads it")
    if found["source"]:
        console.print(f"  goes on from {found['source']}")
    for one in found["rows"].get("candidates", ()):
        console.print(Text(f"  list {one['sample'] + 1}, {one['number']:>2}  {one['idea']}"), soft_wrap=True)
    marks = marks_of(found["reading"]) if found["reading"] else {}
    for said in marks.get(0, ()):
        console.print(Text(f"        {said}"), soft_wrap=True)
    cards = {card["t"]: card for card in found["rows"].get("cards", ())}
    for t in sorted({0, *cards, *(turn["t"] for turn in found["rows"].get("turns", ()))}):
        say_turn(t, found["rows"], console)
        for said in marks.get(t, ()) if t else ():
            console.print(Text(f"        {said}"), soft_wrap=True)
        if t in cards:
            say_card(cards[t], found["ratings"], console)
    if found["status"] != "ok":
        console.print(Text(f"{found['error_kind']}: {found['error']}", style="red"), soft_wrap=True)


def say_turn(t: int, rows: dict[str, list[dict[str, Any]]], console: Console) -> None:
    """One question with its answer, and those that were not picked."""
    for turn in rows.get("turns", ()):
        if turn["t"] == t:
            flags = f"  [{', '.join(turn['flags'])}]" if turn["flags"] else ""
            answer = Text(turn["answer"], style=COLOURS[turn["answer"]])
            console.print(Text(f"{t:>4}  {turn['question']}{flags}  ").append(answer), soft_wrap=True)
    for pick in rows.get("picks", ()):
        if pick["t"] == t and not pick["chosen"]:
            console.print(Text(f"        not picked, of {pick['proposer']}: {pick['question']}"), soft_wrap=True)


def marks_of(reading: dict[str, Any]) -> dict[int, list[str]]:
    """What a reader says, in words, by the question that it says it of; 0: of the whole."""
    reader, found = reading["reader"], defaultdict[int, list[str]](list)
    for table, rows in reading["rows"].items():
        for row in rows if table in MARKS else ():
            found[row.get("t", 0)].append(f"{reader}: {MARKS[table](row)}")
    return found


def named(row: dict[str, Any]) -> str:
    """What a question or card refers to."""
    if row["core"] is None:
        return "no valid reply"
    what = " and ".join(name for name in ("core", "decoy") if row[name]) or "neither phrase"
    return f"{row['place']} names {what}"


def recognised(row: dict[str, Any]) -> str:
    """Whether a probe lists the idea."""
    if row["listed"] is None:
        return "no valid reply"
    return f"candidate {row['candidate']} is the idea: {row['rationale']}" if row["listed"] else "none is the idea"


MARKS: dict[str, Callable[[dict[str, Any]], str]] = {
    "recognitions": recognised,
    "mentions": named,
    "lines": lambda row: "no valid reply" if row["line"] is None else f"survey line {row['line']} of {row['of']}",
    "parents": lambda row: "no valid parent" if row["parent"] is None else f"follows {row['parent'] or 'the problem'}",
    "answers": lambda row: row["answer"] or "no valid reply",
}
"""How a row of what was read is put in words."""


def say_card(card: dict[str, Any], ratings: dict[str, list[dict[str, Any]]], console: Console) -> None:
    """One card and its ratings."""
    console.print(Text(f"\n  card at {card['t']}, confidence {card['confidence']}", style="bold"))
    for field in ("contribution", "approach", "novelty"):
        console.print(Text(f"    {field}: {card[field]}"), soft_wrap=True)
    console.print(Text(f"    components: {'; '.join(card['components'])}"), soft_wrap=True)
    for judge, rows in sorted(ratings.items()):
        for row in rows:
            if row["t"] == card["t"]:
                said = "no valid rating" if row["score"] is None else f"{row['score']}/10  {row['rationale']}"
                console.print(Text(f"    {judge}: {said}"), soft_wrap=True)
    console.print()


def open_store(folder: Path) -> Store:
    """A store that must be there."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no store here; give --store, or run something first")
    return Store(folder)
