"""``heuresis show`` of a search: by iteration, what was chosen, why, and what came of it; or one branch whole."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from typing import Any

from rich.console import Console
from rich.text import Text

from actors.errors import BadInput
from actors.visible import visible
from pipelines.search_status import x100
from solvers.branches.facts import HELD_OUT

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
KEEP = ("unit", "status", "error_kind", "error", "rows", "finished_at", "seconds", "host")
GOOD, BAD = "green", "red"


def search_story(record: Mapping[str, Any]) -> dict[str, Any]:
    """A search, ready for JSON."""
    return {**{name: record[name] for name in KEEP}, "calls": len(record["calls"])}


def branch_story(record: Mapping[str, Any], branch: int) -> dict[str, Any]:
    """One branch whole, with its code and what that changes in the code it began with; BadInput if there is no such."""
    rows: Rows = record["rows"]
    known = [one["branch"] for one in rows.get("assignments", ())]
    if branch not in known:
        raise BadInput(f"--branch {branch}: {record['unit']} has no such branch (it has {spans(known)})")
    tables = ("assignments", "attempts", "audits", "expansions", "executions")
    own = {table: [row for row in rows.get(table, ()) if row["branch"] == branch] for table in tables}
    attempt = own["attempts"][0] if own["attempts"] else None
    code = {row["solution"]: row["files"] for row in rows.get("solutions", ())}
    files = code.get(attempt["solution"]) if attempt else None
    parent = code.get(attempt["parent_solution"]) if attempt else None
    return {"unit": record["unit"], **own, "files": files, "diff": None if files is None else diff(parent or {}, files)}


def diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What became of the files, as a unified diff; of files that are no text only that they changed."""
    pieces: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        if not isinstance(old, str) or not isinstance(new, str):
            pieces.append(f"{name}: no text, changed\n")
            continue
        texts = (old.splitlines(keepends=True), new.splitlines(keepends=True))
        lines = unified_diff(*texts, f"parent/{name}", f"branch/{name}")
        pieces += [line if line.endswith("\n") else f"{line}\n" for line in lines]
    return "".join(pieces)


def say_search(found: Mapping[str, Any], console: Console) -> None:
    """A search for a reader."""
    rows: Rows = found["rows"]
    say(console, found["unit"], style="bold")
    attempts, ideas = by_branch(rows, "attempts"), {one["id"]: one for one in rows.get("ideas", ())}
    assignments = rows.get("assignments", ())
    for iteration in sorted({one["iteration"] for one in assignments}):
        say(console, f"\niteration {iteration}", style="bold")
        for one in rows.get("ideations", ()):
            if one["iteration"] == iteration:
                say_ideation(one, console)
        for cluster in rows.get("clusters", ()):
            if cluster["iteration"] == iteration:
                say_cluster(cluster, rows, console)
        for one in assignments:
            if one["iteration"] == iteration:
                say_branch(one, rows, ideas, attempts.get(one["branch"]), console)
        for lesson in rows.get("lessons", ()):
            if lesson["iteration"] == iteration:
                say(console, f"  lesson [{lesson['tag']}] {lesson['lesson']}")
    for result in rows.get("searches", ()):
        used = f"{result['started']} of {result['executions']} executions, {result['left_over']} left over"
        score = f"{x100(result['score'])}, held out {x100(result['held_out_score'])}"
        say(console, f"\nresult: branch {result['best_branch']}, score {score}; {used}", style="bold")
    if found["status"] != "ok":
        say(console, f"{found['error_kind']}: {found['error']}", style=BAD)


def say_ideation(one: Mapping[str, Any], console: Console) -> None:
    """A round of the ideator and its critic."""
    came = f"{one['proposed']} proposed, {one['dropped']} dropped, {one['refused']} refused, {one['kept']} kept"
    ruled = ["the ideator's"] * one["fallback"] + ["the critic's"] * one["critic_fallback"]
    rule = f"; by {' and '.join(ruled)} rule" if ruled else ""
    say(console, f"  ideas, round {one['round']}: {one['asked']} asked for, {came}{rule}")


def say_cluster(cluster: Mapping[str, Any], rows: Rows, console: Console) -> None:
    """A cluster, with its rank."""
    place = (cluster["iteration"], cluster["index"], None)
    ranks = [one for one in rows.get("ranks", ()) if (one["iteration"], one["cluster"], one["idea_id"]) == place]
    rank = f", rank {ranks[0]['rank']} of {ranks[0]['of']}" if ranks else ""
    say(console, f"  cluster {cluster['index']} {cluster['label']}: {', '.join(cluster['idea_ids'])}{rank}")


def say_branch(
    one: Mapping[str, Any],
    rows: Rows,
    ideas: Mapping[str, Mapping[str, Any]],
    attempt: Mapping[str, Any] | None,
    console: Console,
) -> None:
    """What a branch was given, why, what it measured, and what the audit made of it."""
    work = f"{one['idea']['id']} {one['idea']['title']}" if one["idea"] else one["instruction"]
    say(console, f"  branch {one['branch']}  {one['operator']}: {work}", style="bold")
    say_why(one, console)
    say_executions((row for row in rows.get("executions", ()) if row["branch"] == one["branch"]), console)
    for audit in rows.get("audits", ()):
        if audit["branch"] == one["branch"]:
            said = ", ".join([*audit["flags"], *audit["mechanical"]]) or "nothing"
            say(console, f"      audit {audit['phase']}: {said}. {audit['reasoning']}")
    if attempt is None:
        return
    if attempt["idea_id"] != attempt["assigned_idea_id"] and attempt["idea_id"] in ideas:
        say(console, f"      counts for {attempt['idea_id']} {ideas[attempt['idea_id']]['title']}")
    failed = f", {attempt['error_kind']}: {attempt['error']}" if attempt["status"] != "ok" else ""
    style = GOOD if attempt["success"] and attempt["role"] != "discarded" else BAD
    say(console, f"      score {x100(attempt['score'])}, {attempt['role']}{failed}", style=style)


def say_why(one: Mapping[str, Any], console: Console) -> None:
    """How an assignment was chosen."""
    cluster = f"cluster {one['cluster']} to {one['cluster_action']}" if one["cluster_action"] else ""
    idea = f"idea to {one['idea_action_done']}" if one["idea_action_done"] else ""
    rank = f"rank {one['rank']} of {one['of']}" if one["rank"] else ""
    parents = f"from the code of branch {', '.join(map(str, one['parents']))}" if one["parents"] else ""
    for words in (", ".join(filter(None, (cluster, idea, rank, parents))), one["rationale"], one["deviation"]):
        if words:
            say(console, f"      {words}")


def say_executions(executions: Iterable[Mapping[str, Any]], console: Console) -> None:
    """Each execution in a line."""
    for row in executions:
        kind = "held out" if row["seeding"] == HELD_OUT else f"{row['index']:>3}"
        metric = "" if row["metric"] is None else f" {row['metric']:.4g}"
        score = "" if row["score"] is None else f", score {x100(row['score'])}"
        words = visible(" ".join(filter(None, (row["about"], row["why"]))))
        line = Text(f"      {kind}  ").append(row["verdict"], GOOD if row["correct"] else BAD)
        console.print(line.append(f"{metric}{score}  {words}", "default"), soft_wrap=True)


def say_one(found: Mapping[str, Any], console: Console) -> None:
    """One branch for a reader."""
    say(console, f"{found['unit']}, branch {found['assignments'][0]['branch']}", style="bold")
    attempt = found["attempts"][0] if found["attempts"] else None
    say_branch(found["assignments"][0], found, {}, attempt, console)
    if idea := found["assignments"][0]["idea"]:
        say(console, f"      {idea['abstract']}")
    for row in found["expansions"]:
        say(console, f"      expanded: {row['proposed']} proposed, {row['kept']} kept, {row['dropped']} dropped")
    if found["diff"] is None:
        say(console, "no right code of its own")
    elif not found["diff"]:
        say(console, "the same code as it began with")
    for line in (found["diff"] or "").splitlines():
        say(console, line, style={"+": GOOD, "-": BAD}.get(line[:1], "default"))


def say(console: Console, text: str, style: str = "default") -> None:
    """A line as it is."""
    console.print(Text(visible(text), style=style), soft_wrap=True)


def by_branch(rows: Rows, table: str) -> dict[int, Mapping[str, Any]]:
    """The rows of a table, by branch."""
    return {row["branch"]: row for row in rows.get(table, ())}


def spans(numbers: Sequence[int]) -> str:
    """The numbers in a few words."""
    return f"{min(numbers)} to {max(numbers)}" if numbers else "none"
