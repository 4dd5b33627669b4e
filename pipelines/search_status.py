"""How far searches are, and what they came to: from their records, or from the journals while they go on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

from actors.replay import Fact
from pipelines.journals import Journals
from pipelines.search_settings import SearchSettings
from pipelines.store import Store

EXECUTION = "execution"  # the kind of a branch's facts that are counted executions
HELD_OUT = "held_out"
SHOWN = 20


def standings(units: Sequence[str], store: Store, settings: SearchSettings) -> list[dict[str, Any]]:
    """One for each search. Scores are from 0 to 1; what is not known yet is None."""
    shares = settings.shares
    whole = {unit: finished(store, unit) for unit in units}
    journals = Journals(store, [unit for unit, record in whole.items() if record is None])
    given = {"allowed": shares.each * shares.total, "left_over": shares.left_over, "branches_planned": shares.total}
    found = []
    for unit, record in whole.items():
        own = ended(record) if record else under_way(journals.recorded(unit).facts)
        found.append({"unit": unit, **given, **own})
    return found


def finished(store: Store, unit: str) -> dict[str, Any] | None:
    """The record of a search that went to its end."""
    entry = store.finished(unit)
    return store.plain(unit) if entry and entry.status == "ok" else None


def under_way(facts: Iterable[Fact]) -> dict[str, Any]:
    """From the facts of one that goes on, or failed."""
    counted = [fact for fact in facts if fact.kind == EXECUTION]
    rows = [fact.value[EXECUTION] for fact in counted if fact.value is not None]
    scores = [row["score"] for row in rows if row["correct"] and row["score"] is not None]
    return {"started": len(counted), "best_score": max(scores, default=None), "ended_by": None}


def ended(record: Mapping[str, Any]) -> dict[str, Any]:
    """From the record of one that is done; verdict: of the last held-out verification."""
    rows = record["rows"]
    result = rows["searches"][0]
    ideas = {idea["id"]: idea["title"] for idea in rows.get("ideas", ())}
    checks = [row for row in rows.get("executions", ()) if row["seeding"] == HELD_OUT]
    same = (
        "started",
        "branches_done",
        "best_branch",
        "best_idea",
        "held_out_score",
        "failed_verifications",
        "ended_by",
    )
    return {
        **{name: result[name] for name in same},
        "best_score": result["score"],
        "best_title": ideas.get(result["best_idea"]),
        "held_out_verdict": checks[-1]["verdict"] if checks else None,
        "ended_by": result["ended_by"],
    }


def say_standings(found: Sequence[Mapping[str, Any]], console: Console) -> None:
    """The same for a reader, three lines a search."""
    for one in found[:SHOWN]:
        replicate = one["unit"].split("/")[-2]
        used = f"{one['started']} of {one['allowed']} executions"
        if one["ended_by"] is None:
            console.print(f"  {replicate:8} {used} started, best score so far {x100(one['best_score'])}")
            continue
        spare = f"; the division by branches left {one['left_over']} over" if one["left_over"] else ""
        console.print(f"  {replicate:8} best score {x100(one['best_score'])}{whose(one)}, held out: {verdict(one)}")
        branches = f"{one['branches_done']} of {one['branches_planned']} branches"
        console.print(f"           {used} used in {branches}, ended by {one['ended_by']}{spare}")
        console.print(f"           heuresis show {one['unit'].rsplit('/', 1)[1]} tells it")
    if len(found) > SHOWN:
        console.print(f"  ... and {len(found) - SHOWN} searches more; --json lists them all")


def whose(one: Mapping[str, Any]) -> str:
    """Of which idea a best score is."""
    if one["best_branch"] is None:
        return ""
    idea = f" of idea {one['best_idea']} '{one['best_title']}'," if one["best_idea"] else ""
    return f"{idea} branch {one['best_branch']}"


def verdict(one: Mapping[str, Any]) -> str:
    """What fresh seeds said of it, and of better ones that they did not bear out."""
    failed = one["failed_verifications"]
    better = f" ({failed} better {'one' if failed == 1 else 'ones'} did not hold)" if failed else ""
    if one["best_branch"] is None:
        return f"none of {failed} attempts" if failed else "nothing to verify"
    return f"{one['held_out_verdict']}, {x100(one['held_out_score'])}{better}"


def x100(score: float | None) -> str:
    """A score as reports show it."""
    return "none" if score is None else f"{100 * score:.1f}"
