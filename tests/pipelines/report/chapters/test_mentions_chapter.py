"""What a survey brings, on the page: shares of plain games, both windows, how far readers agree."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from made_tables import Made, panel
from pages import HOSTILE, Reader, assert_alone

from pipelines.report.load import load
from pipelines.report.make import ReportResult, make_report
from pipelines.report.tables import make_tables

NEVER: tuple[int, ...] = ()


def read(
    made: Made, game: str, core: Sequence[int] = NEVER, stated: bool = False, line: int = 0, **own: object
) -> None:
    """What two annotators say of ten questions and the final card; ``core``: the questions that mention it."""
    for annotator in ("r", "s"):
        keys = {**own, "game": game, "annotator": annotator, "unit": f"mentions/{annotator}/{game}"}
        for t in range(1, 11):
            made.add("mentions", **keys, place="question", t=t, core=t in core, decoy=False)
            made.add("lines", **keys, t=t, line=line if t == 1 else 0, inserted=3, of=8)
        made.add("mentions", **keys, place="card", t=10, core=stated, decoy=False)


def played(model: str = "alpha") -> Made:
    """Three papers under decoy and full: under full two games of three ask about the core, one was told YES."""
    made = Made()
    for place in range(3):
        for condition in ("decoy", "full"):
            end = 4 + 3 * (condition == "full" and place == 0) + place % 2
            own: dict[str, object] = {"paper": f"p{place}", "condition": condition, "model": model, "replicate": 0}
            game = made.game({0: panel(1 + place), 10: panel(end)}, model=model, paper=f"p{place}", condition=condition)
            core = ((3,), (4,), NEVER)[place] if condition == "full" else NEVER  # question 3 was answered YES, 4 NO
            read(made, game, core, stated=bool(core) and place == 0, line=3 if condition == "full" else 4, **own)
    return made


def report(made: Made, folder: Path) -> tuple[ReportResult, Reader, str]:
    result = make_report([made.write(folder / "run")])
    html = result.page.read_text(encoding="utf-8")
    return result, Reader(html), html


def test_tables_7_and_8_stand_on_the_page(tmp_path: Path) -> None:
    result, page, html = report(played(), tmp_path)
    assert_alone(page, html)
    shares = result.tables["mention_shares"].set_index("condition").loc["full"]
    assert shares["core_asked"] == pytest.approx(2 / 3)
    assert shares["stated_core_follows_a_YES"] == 1
    assert (shares["stated_core_follows_a_YES_of"], shares["n_games"], shares["left_out"]) == (1, 3, 0)
    split = result.tables["split_scores"].set_index("asked")["mean"]
    assert split.to_dict() == pytest.approx(
        {"decoy": 13 / 3, "full: not asked": 4, "full: asked and YES": 7, "full: asked, never YES": 5}
    )
    lines = result.tables["line_rates"].set_index(["condition", "window"])
    assert lines.loc[("full", "all"), ["own", "neighbours"]].to_list() == [1, 0]
    assert lines.loc[("decoy", "first ten"), ["own", "neighbours"]].to_list() == [0, 0.25]
    assert list(result.tables["naming"]["mean"]) == pytest.approx([1.25, 1.25])
    assert set(result.tables["reader_kappas"]["reading"]) == {"core", "decoy", "line"}
    assert {path.name for path in result.figures} >= {"mention-scores.svg", "lines-full-all.svg"}
    for name in ("mention_shares", "split_scores", "first_asks", "line_rates", "naming", "first_card_differences"):
        assert f"tables/{name}.csv" in page.text
    assert "first_cards" in html


def test_mentions_in_forks_and_pooled_games_do_not_count(tmp_path: Path) -> None:
    made = played()
    own: dict[str, object] = {"paper": "p0", "condition": "full", "model": "alpha", "replicate": 0}
    fork = {"source": "game/alpha/p0/full/0/10", "side": "best", "cut": 5, "continuation": 0}
    for kind, told in (("fork", fork), ("pool", {"selection": "model"})):
        made.add("units", unit=f"{kind}/x", game=f"{kind}/x", kind=kind, status="ok", questions=10, **own, **told)
        for t in range(1, 11):
            made.add("turns", unit=f"{kind}/x", t=t, answer="YES", question="?", samples=1, **own)
        read(made, f"{kind}/x", (3,), stated=True, line=3, **own)
    tables = make_tables(load([made.write(tmp_path / "run")]), 0)
    assert len(tables["mention_games"]) == 6
    assert len(tables["line_games"]) == 12
    assert set(tables["reader_kappas"]["n_games"]) == {6}


def test_names_stay_text(tmp_path: Path) -> None:
    _, page, html = report(played(model=HOSTILE), tmp_path)
    assert_alone(page, html)
    assert HOSTILE in page.text


def test_without_readings_the_page_says_how_to_have_them(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(1), 10: panel(2)}, condition="full")
    result, page, _ = report(made, tmp_path)
    assert "heuresis run experiment=mentions" in page.text
    assert all(not len(result.tables[name]) for name in ("mention_shares", "first_cards", "line_rates"))
