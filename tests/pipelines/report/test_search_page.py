"""The page of searches: it tells a branch whole, takes every text as text, and stays small."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from made_search_tables import MadeSearches, one_search
from made_tables import study
from pages import HOSTILE, Reader, assert_alone

from actors.errors import BadInput
from pipelines.report.make import ReportResult, make_report
from pipelines.report.page import MAX_BYTES
from pipelines.report.search_figures import letter, plain


def report(made: MadeSearches, folder: Path, max_bytes: int = MAX_BYTES) -> tuple[ReportResult, str, str]:
    result = make_report([made.write(folder / "run")], max_bytes=max_bytes)
    html = result.page.read_text(encoding="utf-8")
    page = Reader(html)
    assert_alone(page, html)
    return result, html, re.sub(r"\s+", " ", page.text)


def test_a_search_is_told_whole(tmp_path: Path) -> None:
    result, html, text = report(one_search(), tmp_path)
    for said in (
        "6 of 12 allowed (3 a branch); 2 executions of 14 left over by the division; 1 lost",
        "50.0 → 48.0",
        "1 better attempt did not hold",
        "A L1.1, to exploit",
        "explore → exploit",
        "2 of 3",
        "a good parent",
        "idea mismatch",
        "by rule: same as parent",
        "Really Tiles",
        "Expanded: 3 proposed, 1 kept, 2 dropped. fallback",
        "clusters: fallback",
        "organize 1, expand 1",
        "Its best right code against the baseline: +1 −1 lines",
        "-/* slow */",
        "+/* fast */",
        "Tiles help",
        "wide first",
    ):
        assert said in text, said
    assert html.count('class="branch"') == 2
    names = {path.name for path in result.figures if path.suffix == ".svg"}
    assert names == {"best-executions.svg", "best-seconds.svg", "best-tokens.svg", "clusters-1.svg"}
    assert "no line against tokens" not in text


def test_tables_lie_beside_the_page_twice(tmp_path: Path) -> None:
    result, _, _ = report(one_search(), tmp_path)
    wanted = {"summary", "search_results", "best_so_far", "branches", "cluster_scores", "operators", "actions"}
    assert wanted | {"expansion_kinds", "idea_growth", "mismatch"} <= set(result.tables)
    for name, table in result.tables.items():
        folder = result.page.parent / "tables"
        assert (
            len(pd.read_parquet(folder / f"{name}.parquet")) == len(pd.read_csv(folder / f"{name}.csv")) == len(table)
        )


def test_warnings_say_what_not_to_overlook(tmp_path: Path) -> None:
    made = one_search()
    made.search(replicate=1, status="error")
    made.search(replicate=2, status="pending")
    said = " ".join(report(made, tmp_path)[0].warnings)
    for words in (
        "1 search has failed",
        "1 search has not been played",
        "2 decisions by an operator's rule, since its model's replies could not stand: expand 1, organize 1",
        "1 attempt discarded by the audit",
        "1 execution lost to a crash",
        "1 attempt with a better score did not hold out",
    ):
        assert words in said, words
    assert "No audit" not in said


def test_every_text_stays_text(tmp_path: Path) -> None:
    made = one_search(title=HOSTILE, code=f"int sort;\n{HOSTILE}\n")
    for table, names in {
        "clusters": ("label", "theme", "rationale"),
        "executions": ("about", "why", "log"),
        "assignments": ("rationale", "deviation", "instruction"),
        "attempts": ("error",),
        "lessons": ("tag",),
        "plans": ("rationale",),
        "audits": ("reasoning", "reconstructed_twist"),
    }.items():
        for row in made.rows[table]:
            row.update(dict.fromkeys(names, HOSTILE))
    run = made.write(tmp_path / "run")
    (run / "config.yaml").write_text(HOSTILE)
    html = make_report([run]).page.read_text(encoding="utf-8")
    page = Reader(html)
    assert_alone(page, html)
    assert f"+{HOSTILE}" in page.text
    assert str(98765 * 43210) not in html


def test_the_worst_code_goes_first_and_then_the_worst_branches(tmp_path: Path) -> None:
    made = MadeSearches()
    keys = made.search(best_branch=1, score=0.1)
    for branch, score in ((1, 0.1), (2, 0.5), (3, 0.3)):
        code = "".join(f"line {branch} {number};\n" for number in range(300))
        made.branch(keys, branch, [score], title=f"idea {branch}", code=code)
    whole, html, _ = report(made, tmp_path / "whole")
    size = len(html.encode())
    assert whole.codes_left_out == 0

    result, small, text = report(made, tmp_path / "cut", max_bytes=size - 5_000)
    assert len(small.encode()) <= size - 5_000
    assert result.codes_left_out == 1
    assert "the code of 1 branch with the worst scores is left out" in text
    assert ("line 1 7;" in text, "line 2 7;" in text, "line 3 7;" in text) == (True, True, False)
    assert f"heuresis show {keys['unit']} --branch 3" in text

    bare = len(re.sub(r"<pre class=.diff.*?</pre>", "", html, flags=re.DOTALL).encode()) + 1000
    result, tiny, text = report(made, tmp_path / "tiny", max_bytes=bare)
    assert len(tiny.encode()) <= bare
    assert result.codes_left_out == 3
    assert re.findall(r'data-branch="(\d)"', tiny) == ["1", "2"]
    assert "1 branch, and the code of 2 branches with the worst scores are left out" in text


def test_tokens_that_are_not_known_leave_a_word(tmp_path: Path) -> None:
    made = one_search()
    made.rows["calls"][0].update(prompt_tokens=None, cost=None)
    result, _, text = report(made, tmp_path)
    assert "There is no line against tokens" in text
    assert "$0.01 + 1 calls of unknown price" in text
    assert not [path for path in result.figures if "tokens" in path.name]


def test_a_search_without_a_result_or_clusters_or_code(tmp_path: Path) -> None:
    made = MadeSearches()
    keys = made.search("best_of_n")
    made.branch(keys, 1, [None])
    made.rows["solutions"].clear()
    _, _, text = report(made, tmp_path)
    assert "none: no attempt was right and held out" in text
    assert "It left no code that could be read." in text
    assert "Nothing to show yet: no execution was right." in text


def test_replicates_and_ablations_stand_apart(tmp_path: Path) -> None:
    runs = []
    for number, flag in enumerate(("true", "false")):
        made = MadeSearches()
        for replicate, score in enumerate((0.4, 0.6)):
            keys = made.search(replicate=replicate, score=score - number / 10, make=str(number))
            made.branch(keys, 1, [score - number / 10])
        runs.append(made.write(tmp_path / str(number)))
        (runs[-1] / "config.yaml").write_text(f"policy: {{name: aim, estimate: {flag}}}")
    result = make_report(runs, tmp_path / "out")
    rows = result.tables["summary"].set_index("variant")
    assert rows["score"].to_dict() == pytest.approx({"estimate=True": 0.5, "estimate=False": 0.4})
    assert "sort, small, aim, estimate=True: score 50.0 ± 10.0" in result.said
    svg = next(path for path in result.figures if path.name == "best-executions.svg").read_text(encoding="utf-8")
    assert ">aim, estimate=True</text>" in svg


def test_the_same_tables_give_the_same_page(tmp_path: Path) -> None:
    run = one_search().write(tmp_path / "run")
    first, second = (make_report([run], tmp_path / name).page.read_bytes() for name in ("a", "b"))
    assert first == second


def game(folder: Path) -> list[Path]:
    return [one_search().write(folder / "search"), study(models=("m",), papers=1).write(folder / "game")]


def unfinished(folder: Path) -> list[Path]:
    made = MadeSearches()
    made.search(status="pending")
    return [made.write(folder / "search")]


def damaged(folder: Path) -> list[Path]:
    run = one_search().write(folder / "search")
    (run / "tables" / "audits.parquet").unlink()
    return [run]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (game, "search is an idea search and .*game holds games; report them apart"),
        (unfinished, "search: no search is finished yet; the command that made the run goes on with it"),
        (damaged, "audits.parquet: is missing"),
    ],
)
def test_what_cannot_be_reported_is_refused(tmp_path: Path, runs: Callable[[Path], list[Path]], said: str) -> None:
    with pytest.raises(BadInput, match=said) as raised:
        make_report(runs(tmp_path))
    assert "\n" not in str(raised.value)


def test_names_of_clusters() -> None:
    assert [letter(one) for one in (1, 26, 27, 53)] == ["A", "Z", "A2", "A3"]
    assert plain("Größe \u4e2d\x00") == "Größe ??"
