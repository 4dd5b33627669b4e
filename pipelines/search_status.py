"""How far searches are, and what they came to: from their records, or from the journals while they go on."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

from rich.console import Console

from actors.recorded import Fact
from actors.visible import visible
from pipelines.journals import Journals
from pipelines.search_settings import SearchSettings
from pipelines.store import Store
from pipelines.work import shown
from solvers.branches.facts import END, EXECUTION, HELD_OUT

SHOWN = 20
LETTERS = 80  # of a title
SO_FAR = "best measured so far, before audit"
FALLBACKS = ("fallback", "critic_fallback")  # columns


def standings(units: Sequence[str], store: Store, settings: SearchSettings) -> list[dict[str, Any]]:
    """One for each search. Scores are from 0 to 1; what is not known yet is None."""
    shares = settings.shares
    whole = {unit: finished(store, unit) for unit in units}
    journals = Journals(store, [unit for unit, record in whole.items() if record is None])
    given = {"allowed": shares.each * shares.total, "left_over": shares.left_over, "branches_planned": shares.total}
    found = []
    for unit, record in whole.items():
        own = ended(record) if record else under_way(journals.recorded(unit).facts)
        found.append({"unit": unit, "show": show_command(unit, store.folder), **given, **own})
    return found


def show_command(unit: str, store: Path) -> str:
    """What tells the whole story of a search."""
    elsewhere = "" if store.resolve() == Path("outputs/store").resolve() else f" --store {shown(store)}"
    return f"heuresis show {unit.rsplit('/', 1)[1]}{elsewhere}"


def finished(store: Store, unit: str) -> dict[str, Any] | None:
    """The record of a search that went to its end."""
    entry = store.finished(unit)
    return store.plain(unit) if entry and entry.status == "ok" else None


def under_way(facts: Sequence[Fact]) -> dict[str, Any]:
    """From the facts of one that goes on, or failed."""
    started = sum(fact.kind == EXECUTION for fact in facts)
    done = len({fact.part for fact in facts if fact.kind == END})
    return {"started": started, "branches_done": done, "best_score": best_measured(facts), "ended_by": None}


def best_measured(facts: Iterable[Fact]) -> float | None:
    """The best score of any right execution, whatever an audit will say of its branch."""
    rows = [fact.value[EXECUTION] for fact in facts if fact.kind == EXECUTION and fact.value is not None]
    return max((row["score"] for row in rows if row["correct"] and row["score"] is not None), default=None)


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
        "branches_failed": sum(attempt["status"] == "error" for attempt in rows.get("attempts", ())),
        "fallbacks": sum(bool(row.get(one)) for table in rows.values() for row in table for one in FALLBACKS),
        "ideas": first_pool(rows.get("ideations", ())),
    }


def first_pool(rounds: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """Of the first pool: how many ideas were wanted, proposed, refused by the critic, and kept; None without one."""
    own = [row for row in rounds if row["iteration"] == rounds[0]["iteration"]]
    sums = {name: sum(row[name] for row in own) for name in ("proposed", "refused", "kept")}
    return {"asked": own[0]["asked"], **sums} if own else None


def say_standings(found: Sequence[Mapping[str, Any]], console: Console) -> None:
    """The same for a reader, three lines a search."""
    for one in found[:SHOWN]:
        replicate = one["unit"].split("/")[-2]
        used = f"{one['started']} of {one['allowed']} executions"
        if one["ended_by"] is None:
            so_far = f"{used} started, {one['branches_done']} of {one['branches_planned']} branches done"
            console.print(f"  {replicate:8} {so_far}, {SO_FAR}: {x100(one['best_score'])}")
            continue
        spare = f"; the division by branches left {one['left_over']} over" if one["left_over"] else ""
        console.print(f"  {replicate:8} result {x100(one['best_score'])}{whose(one)}, held out: {verdict(one)}")
        branches = f"{one['branches_done']} of {one['branches_planned']} branches"
        console.print(f"           {used} used in {branches}{trouble(one)}, ended by {one['ended_by']}{spare}")
        if (pool := one["ideas"]) and pool["kept"] < pool["asked"]:
            refused = f"of {pool['proposed']} proposed {pool['refused']} were refused"
            console.print(f"           the first pool has {pool['kept']} of {pool['asked']} ideas; {refused}")
        console.print(f"           {one['show']} tells it")
    if len(found) > SHOWN:
        console.print(f"  ... and {len(found) - SHOWN} searches more; --json lists them all")


def trouble(one: Mapping[str, Any]) -> str:
    """Branches that failed, and decisions that rules made where a model's replies could not stand."""
    failed, fallbacks = one["branches_failed"], one["fallbacks"]
    said = [f"{failed} of them failed"] if failed else []
    said += [f"{fallbacks} rows by fallback, not by the manager"] if fallbacks else []
    return f" ({'; '.join(said)})" if said else ""


def whose(one: Mapping[str, Any]) -> str:
    """Of which idea a best score is."""
    if one["best_branch"] is None:
        return ""
    title = shorten(visible(one["best_title"] or ""), LETTERS, placeholder=" ...")
    idea = f" of idea {one['best_idea']} '{title}'," if one["best_idea"] else ""
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
