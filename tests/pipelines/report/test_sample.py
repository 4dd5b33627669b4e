"""Which games stand on the page."""

from pathlib import Path

import pytest
from made_tables import Made, panel

from pipelines.report.load import load
from pipelines.report.sample import Sample, choose
from pipelines.report.tables import make_tables


def sample(made: Made, folder: Path) -> Sample:
    runs = load([made.write(folder / "run")])
    return choose(runs.units, make_tables(runs, 0)["scores"])


@pytest.mark.parametrize(
    ("finals", "expected"),
    [
        ([5], {"only": 5}),
        ([5, 7], {"best": 7, "worst": 5}),
        ([5, 7, 6], {"best": 7, "median": 6, "worst": 5}),
        ([5, 7, 6, 9], {"best": 9, "median": 7, "worst": 5}),
        ([4, 4, 4, 4, 4], {"best": 4, "median": 4, "worst": 4}),
    ],
)
def test_best_median_and_worst(tmp_path: Path, finals: list[int], expected: dict[str, int]) -> None:
    made = Made()
    for place, final in enumerate(finals):
        made.game({0: panel(1), 10: panel(final)}, paper=f"p{place}")
    found = sample(made, tmp_path)
    assert found.games.set_index("role")["final"].to_dict() == expected
    assert found.finished == len(finals)
    assert found.games["game"].is_unique
    assert set(found.games["of"]) == {len(finals)}


def test_each_model_condition_and_length_has_its_own(tmp_path: Path) -> None:
    made = Made()
    for model in ("m", "n"):
        for condition in ("none", "full"):
            for questions in (5, 10):
                made.game({questions: panel(3)}, model=model, condition=condition, questions=questions)
    assert sample(made, tmp_path).games["role"].tolist() == ["only"] * 8


def test_without_scores_the_first_game_stands_and_the_rule_says_so(tmp_path: Path) -> None:
    made = Made()
    for paper in ("p2", "p1"):
        made.game({0: {}, 10: {}}, paper=paper)
    made.game({0: {}, 10: {}}, paper="p0", status="error", error_kind="timeout")
    found = sample(made, tmp_path)
    assert found.games[["role", "paper"]].to_numpy().tolist() == [["first", "p1"]]
    assert "no game has a final score" in found.rule


def test_a_group_without_scores_stands_beside_one_with(tmp_path: Path) -> None:
    made = Made()
    made.game({10: panel(3)}, model="m")
    made.game({10: panel(None)}, model="n")
    found = sample(made, tmp_path)
    assert found.games[["model", "role"]].to_numpy().tolist() == [["m", "only"], ["n", "first"]]
    assert "the best" in found.rule
    assert "without a final score" in found.rule
