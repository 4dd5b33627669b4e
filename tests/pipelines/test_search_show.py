"""What status and show say of a search that is done, and of one that goes on."""

import json
from collections.abc import Callable, Sequence

import pytest
from conftest import Bench
from search_records import BEST, NOW, facts, record

from actors.journal import line, line_of
from pipelines.cli import main
from pipelines.config import settings
from pipelines.gather import outline
from pipelines.plan import Work, plan
from pipelines.search_story import diff
from pipelines.store import Store, Writer
from pipelines.work import prepare_folder

Refusal = Callable[[Sequence[str]], str]


@pytest.fixture
def work(bench: Bench) -> Work:
    """Three searches: one is done, one was killed in its first iteration, one has not begun."""
    more = ("experiment=idea_search", "cast=scripted", "replicates=3", "budget.executions=20", "branches=3")
    made = plan(settings(bench.overrides(*more, "iterations=1")))
    prepare_folder(made)
    store = Store(made.settings.store)
    writer = Writer(store)
    writer.finish([record(made.units[0].id)])
    going = made.units[1].id
    writer.begin(going)
    with writer.journal.open("wb") as journal:
        for fact in facts():
            began = {"began": [fact.kind, fact.index, fact.about, fact.round], "at": NOW}
            event = began if fact.value is None else {"fact": fact.model_dump()}
            journal.write(line(line_of(going, fact.part), event))
    writer.close(keep_journal=True)
    outline(made.units, store, made.tables)
    return made


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_status_counts_executions_while_a_search_goes_on(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "status", str(work.folder), "--json"))
    assert found["units"] == {"search": {"ok": 1, "error": 0, "pending": 2}}
    done, going, waiting = found["searches"]
    assert (going["started"], going["allowed"], going["best_score"]) == (3, 18, 0.5)
    assert (waiting["started"], waiting["best_score"], waiting["ended_by"]) == (0, None, None)
    assert (done["started"], done["best_score"], done["held_out_verdict"]) == (5, 0.75, "right")


def test_a_finished_search_is_summed_up(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, "status", str(work.folder))
    assert "result 75.0 of idea i003 'Smaller tiles', branch 3, held out: right, 74.0" in said
    assert "(1 better one did not hold)" in said
    assert "5 of 18 executions used in 3 of 3 branches (" in said
    assert "), ended by branches" in said
    assert "the division by branches left 2 over" in said
    assert "the first pool has 2 of 3 ideas; of 4 proposed 1 were refused" in said
    assert "3 rows by fallback" in said
    assert f"heuresis show {work.units[0].id.rsplit('/', 1)[1]} --store {work.settings.store} tells it" in said
    assert "r1       3 of 18 executions started, 0 of 3 branches done, best measured so far, before audit: 50.0" in said
    assert "r2       0 of 18 executions started, 0 of 3 branches done, best measured so far, before audit: none" in said


def test_show_tells_a_search_by_iteration_and_branch(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    store = ("--store", str(work.settings.store))
    said = printed(capsys, "show", work.units[0].id, *store)
    assert said.index("iteration 1") < said.index("branch 1") < said.index("iteration 2") < said.index("branch 3")
    for words in (
        "ideas, round 1: 3 asked for, 4 proposed, 1 dropped, 1 refused, 2 kept; by the critic's rule",
        "cluster 1 Memory: i001, i002, rank 1 of 2",
        "branch 1  build: i001 Tiles",
        "cluster 1 to explore, idea to exploit, rank 1 of 2",
        "most promising",
        "1  right 0.5, score 50.0  a try",
        "2  wrong  a try an output was wrong",
        "audit before: idea_mismatch, trivial, same_as_parent, timing. It is so.",
        "branch 2  draft: Try anything.",
        "score none, discarded, lost: it broke",
        "from the code of branch 1",
        "held out  right 0.5, score 74.0",
        "lesson [works] Tiles help.",
        "result: branch 3, score 75.0, held out 74.0; 5 of 20 executions, 2 left over",
    ):
        assert words in said, words
    whole = json.loads(printed(capsys, "show", work.units[0].id, *store, "--json"))
    assert [row["score"] for row in whole["rows"]["attempts"]] == [0.5, None, 0.75]


def test_show_tells_one_branch_with_its_code(work: Work, capsys: pytest.CaptureFixture[str], refusal: Refusal) -> None:
    given = ("show", work.units[0].id, "--store", str(work.settings.store), "--branch")
    said = printed(capsys, *given, "3")
    assert "branch 3  build: i003 Smaller tiles" in said
    assert "Make it faster." in said
    assert "--- parent/sort.c\n+++ branch/sort.c\n" in said
    assert "-int c;\n+int d;\n" in said
    assert "no right code of its own" in printed(capsys, *given, "2")
    assert "the same code" not in said
    found = json.loads(printed(capsys, *given, "3", "--json"))
    assert found["attempts"][0]["solution"] == BEST
    assert found["files"] == {"sort.c": "int a;\nint d;\n"}
    assert "--branch 9: " in refusal([*given, "9"])
    assert "(it has 1 to 3)" in refusal([*given, "9"])


def test_a_game_has_no_branches(bench: Bench, refusal: Refusal) -> None:
    assert bench.run("cast=scripted", "papers=1", "replicates=1", "questions=2", "judging=false") == 0
    unit = bench.played(bench.writers()[0])[0]
    said = refusal(["show", unit, "--store", str(bench.outputs / "store"), "--branch", "1"])
    assert f"--branch 1: {unit} is no search, and has no branches" in said


def test_a_diff_says_what_it_cannot_show() -> None:
    base64 = {"base64": "/w=="}
    assert diff({"a": "x", "b": base64, "c": "same"}, {"a": "x\ny", "b": {"base64": "/g=="}, "c": "same"}) == (
        "--- parent/a\n+++ branch/a\n@@ -1 +1,2 @@\n-x\n+x\n+y\nb: no text, changed\n"
    )
    assert diff({}, {"new": "x\n"}) == "--- parent/new\n+++ branch/new\n@@ -0,0 +1 @@\n+x\n"
