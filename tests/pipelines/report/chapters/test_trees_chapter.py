"""Question trees on the page: plain games alone, every text as text, what is left out said, opened without a script."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from browsing import tab
from made_tables import Made, panel
from pages import HOSTILE, Reader, assert_alone

from pipelines.report.load import load
from pipelines.report.make import ReportResult, make_report
from pipelines.report.tables import make_tables

PARENTS: tuple[tuple[int | None, ...], ...] = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (0, 0, 0, 0, 0, 1, 2, 3, 4, 5),
    (0,) * 10,
    (0, 0, 0, 1, 1, None, 0, 7, 0, 0),
)


def read(made: Made, game: str, parents: Sequence[int | None], **other: object) -> None:
    """What an annotator says of one game."""
    keys = {"paper": "p0", "model": "alpha", "condition": "none", "replicate": 0, "annotator": "reader", **other}
    for t, parent in enumerate(parents, 1):
        made.add("parents", unit=f"tree/{game}", game=game, t=t, parent=parent, repaired=t == 2, **keys)


def played(text: str = "Is it a loss?") -> Made:
    """Two models on four papers, each game with a tree."""
    made = Made()
    for turn, model in enumerate(("alpha", "beta")):
        for place in range(len(PARENTS)):
            parents = PARENTS[(place + turn) % len(PARENTS)]
            scores = {0: panel(1), 10: panel(3 + place % 3 + turn)}
            game = made.game(scores, paper=f"p{place}", model=model, text=text)
            read(made, game, parents, paper=f"p{place}", model=model)
    return made


def report(made: Made, folder: Path) -> tuple[ReportResult, Reader, str]:
    result = make_report([made.write(folder / "run")])
    html = result.page.read_text(encoding="utf-8")
    return result, Reader(html), html


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReportResult, Reader, str]:
    """The report of `played`."""
    return report(played(), tmp_path_factory.mktemp("drawn"))


def test_trees_stand_on_the_page(drawn: tuple[ReportResult, Reader, str]) -> None:
    result, page, html = drawn
    assert_alone(page, html)
    assert "Shown: 6 of 8 trees, chosen by rule" in page.text
    assert html.count('<details class="tree"') == 6
    assert html.count('<use href="#mark-') == 3 + 6 * 10 - 2  # the key, all questions but the two without a place
    assert "1 question without a place" in page.text
    assert {path.name for path in result.figures} >= {
        *("branches.svg", "patterns.svg", "steps-after-child.svg", "steps-after-leaves.svg", "breadth.svg"),
    }
    shape = result.tables["tree_shapes"].set_index(["measure", "model"])["mean"]
    assert shape["branches", "alpha"] == pytest.approx((1 + 5 + 10 + 6) / 4)
    assert list(result.tables["breadth_curve"]["n_games"]) == [8]


def test_forks_pools_and_other_games_are_counted_and_left_out(tmp_path: Path) -> None:
    made = played()
    survey = made.game({0: panel(1), 10: panel(2)}, paper="p0", model="alpha", condition="full")
    read(made, survey, (0,) * 10, condition="full")
    fork = {"source": survey, "side": "best", "cut": 5, "continuation": 0}
    keys = {"model": "alpha", "paper": "p0", "condition": "none", "replicate": 0, "status": "ok", "questions": 10}
    for kind, told in (("fork", fork), ("pool", {"selection": "model"})):
        made.add("units", unit=f"{kind}/x", game=f"{kind}/x", kind=kind, **keys, **told)
        read(made, f"{kind}/x", (0,) * 10)
    tables = make_tables(load([made.write(tmp_path / "run")]), 0)
    found = tables["tree_readings"].set_index("model").loc["alpha"]
    assert found.drop("annotator").to_dict() == {
        "read": 7,
        "derived": 2,
        "other": 1,
        "counted": 4,
        "questions": 40,
        "invalid": 1,
        "repaired": 4,
        "unplaced": 1,
    }
    assert set(tables["tree_games"]["game"].str.split("/").str[0]) == {"game"}
    assert len(tables["tree_games"]) == 8


def test_every_text_in_a_tree_stays_text(tmp_path: Path) -> None:
    made = Made()
    game = made.game({0: panel(1), 10: panel(2)}, paper=HOSTILE, model=HOSTILE, text=HOSTILE)
    read(made, game, (0, 1, 1, 1, 0, 5, 0, 7, 8, None), paper=HOSTILE, model=HOSTILE, annotator=HOSTILE)
    _, page, html = report(made, tmp_path)
    assert_alone(page, html)
    assert f"{HOSTILE} (3)" in page.text


def test_without_trees_the_page_says_how_to_have_them(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(1), 10: panel(2)})
    result, page, _ = report(made, tmp_path)
    assert "heuresis run experiment=tree" in page.text
    assert "Question trees to look at" not in page.text
    assert not len(result.tables["tree_questions"])


def test_trees_of_unjudged_games_are_drawn(tmp_path: Path) -> None:
    made = Made()
    game = made.game({0: {}, 10: {}})
    read(made, game, PARENTS[3], paper="p1", model="m")
    result, page, html = report(made, tmp_path)
    assert_alone(page, html)
    assert "Shown: 1 of 1 tree" in page.text
    assert list(result.tables["breadth_curve"]["shape"]) == ["not estimable"]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (420, True)])
def test_a_mark_leads_to_its_question(
    drawn: tuple[ReportResult, Reader, str], tmp_path: Path, width: int, dark: bool
) -> None:
    result = drawn[0]

    async def look() -> None:
        async with tab(tmp_path / "profile") as browser:
            await browser.open(result.page, width, dark)
            small = "document.querySelector('#tree-1-1 .small')"
            assert await browser.value(f"{small}.getBoundingClientRect().width") > 150
            await browser.value("document.querySelector('#tree-1-1').open = true")
            mark = "document.querySelector('#tree-1-1 .drawn a[href=\"#tree-1-1-4\"] use')"
            assert await browser.value(f"{mark}.getBoundingClientRect().width") > 5
            await browser.value(f"{mark}.parentNode.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
            assert await browser.value("document.querySelector('#tree-1-1-4').closest('.limb').open")
            question = "document.querySelector('#tree-1-1-4')"
            assert "Is it a loss? (4)" in await browser.value(f"{question}.innerText")
            assert await browser.value(f"{question}.getBoundingClientRect().height") > 10
            assert await browser.value("document.documentElement.scrollWidth") <= width
            assert browser.complaints() == []
            assert browser.requests() == [result.page.resolve().as_uri()]

    asyncio.run(look())
