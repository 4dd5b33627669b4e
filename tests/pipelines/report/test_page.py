"""The page is one file that asks for nothing, takes every text as text, says what is missing, and stays small."""

import re
from pathlib import Path

import pytest
from made_tables import Made, panel, study
from pages import HOSTILE, Reader, assert_alone

from pipelines.report.make import ReportResult, make_report
from pipelines.report.page import MAX_BYTES


def report(made: Made, folder: Path, max_bytes: int = MAX_BYTES) -> tuple[ReportResult, Reader, str]:
    result = make_report([made.write(folder / "run")], max_bytes=max_bytes)
    html = result.page.read_text(encoding="utf-8")
    return result, Reader(html), html


def test_a_study_shows_curves_tables_and_games(study_report: tuple[Path, ReportResult]) -> None:
    _, result = study_report
    html = result.page.read_text(encoding="utf-8")
    page = Reader(html)
    assert_alone(page, html)
    assert len(html.encode()) < MAX_BYTES
    assert "2 models, 1 condition, 3 papers, 2 replicates, 10 questions" in page.text
    assert html.count('class="game"') == result.games_shown == result.games_chosen == 6
    assert "Shown: 6 of 12 finished games, chosen by rule: the best, the median and the worst" in page.text
    assert "left out for want of a rating: 0 of 24 cards (0.0%)" in page.text.lower()
    assert all(mark in page.text for mark in ("✕ NO", "✓ YES", "? UNKNOWN"))
    assert "a sees 2 parts" in page.text
    assert re.search(r"idea of game/alpha/p\d/none/\d/10 after 10", page.text)
    assert "alpha: 6 of 6" not in page.text
    for name in ("outcome", "curves", "gains", "correlation", "rank_agreement", "cost", "status"):
        assert f"tables/{name}.csv" in page.text


def test_every_text_stays_text(tmp_path: Path) -> None:
    made = Made()
    made.game({0: {HOSTILE: 2, "b": 3}, 10: {HOSTILE: 4, "b": 3}}, text=HOSTILE, model=HOSTILE, paper=HOSTILE)
    for row in made.rows["cards"]:
        row.update(contribution=HOSTILE, approach=HOSTILE, components=HOSTILE, novelty=HOSTILE)
    for row in made.rows["ratings"]:
        row.update(rationale=HOSTILE)
    run = made.write(tmp_path / "run")
    for name in ("config.yaml", "manifest.json"):
        (run / name).write_text(HOSTILE)
    html = make_report([run]).page.read_text(encoding="utf-8")
    page = Reader(html)
    assert_alone(page, html)
    assert f"{HOSTILE} (3)" in page.text
    assert str(98765 * 43210) not in html


def test_a_formula_in_a_name_is_not_set_as_one(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(1), 10: panel(2)}, model=r"$\frac{")
    _, page, _ = report(made, tmp_path)
    assert r"$\frac{" in page.text


def test_unjudged_games_are_shown_with_what_to_do(tmp_path: Path) -> None:
    made = Made()
    made.game({0: {}, 10: {}}, contaminated=None)
    result, page, html = report(made, tmp_path)
    assert_alone(page, html)
    assert f"heuresis run experiment=judge from=[{tmp_path / 'run'}]" in " ".join(result.warnings)
    assert "It is not known whether these models may have read the papers" in page.text
    assert all(text in page.text for text in ("no score", "Is it a loss? (10)"))
    assert result.figures == ()


@pytest.mark.parametrize("status", ["error", "pending"])
def test_nothing_finished(tmp_path: Path, status: str) -> None:
    made = Made()
    made.game({}, status=status, error_kind="timeout" if status == "error" else None)
    result, page, html = report(made, tmp_path)
    assert_alone(page, html)
    assert "No game is finished" in page.text
    assert result.games_shown == 0
    assert ("0 ok, 1 failed (timeout 1)" if status == "error" else "0 ok, 1 pending") in page.text


def test_empty_tables(tmp_path: Path) -> None:
    _, page, html = report(Made(), tmp_path)
    assert_alone(page, html)
    assert "These runs hold no game" in page.text


def test_one_game_one_judge(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(2), 5: panel(4)}, questions=5)
    result, page, html = report(made, tmp_path)
    assert_alone(page, html)
    assert "There are not two judges to compare" in page.text
    assert {path.name for path in result.figures if path.suffix == ".svg"} == {"curves-none.svg", "gains-none.svg"}


def test_missing_ratings_warn_above_two_percent(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(2, 3), 10: panel(4, None)})
    result, page, _ = report(made, tmp_path)
    assert "Left out for want of a rating: 1 of 2 cards (50.0%), more than 2%" in " ".join(result.warnings)
    assert "no rating" in page.text
    assert "1 of 4 (25.0%)" in page.text


def test_what_models_may_know_and_what_the_small_one_is_worth(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(2)}, model="SmolLM2-135M-Instruct", contaminated=True)
    made.game({0: panel(2)}, model="other", contaminated=False)
    _, page, _ = report(made, tmp_path)
    assert "public by their cutoff: 1 of 1 game of SmolLM2-135M-Instruct." in page.text
    assert "do not read their scores as a result" in page.text
    assert "other: 1 of 1" not in page.text


def test_too_large_a_sample_shrinks_and_says_so(tmp_path: Path) -> None:
    made = study(models=("alpha",), papers=4)
    whole, _, html = report(made, tmp_path / "whole")
    bound = len(html.encode()) - 2000
    result, page, small = report(made, tmp_path / "cut", max_bytes=bound)
    assert len(small.encode()) <= bound
    assert (whole.games_shown, result.games_shown, result.games_chosen) == (3, 2, 3)
    assert "1 chosen game left out" in page.text
    assert re.findall(r'class="role (\w+)"', small) == ["best", "worst"]


def test_no_price_is_said_and_not_zero(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(2)})
    for row in made.rows["calls"]:
        row.update(cost=None, cached_tokens=None)
    _, page, _ = report(made, tmp_path)
    assert "unknown price" in page.text
    assert "$0" not in page.text
