"""Question trees: any list of parents against a walk up by hand, and the shapes of known trees."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tables import Made

from pipelines.analysis.trees import default_trees, enumerations, place, place_questions, tree_games, tree_shapes

Parents = Sequence[int | None]
ANYTHING = st.lists(st.one_of(st.none(), st.integers(-2, 30)), max_size=30)
FORESTS = st.lists(ANYTHING, max_size=4)
TREES = st.lists(st.integers(0, 10**6), max_size=40).map(lambda drawn: [x % (t + 1) for t, x in enumerate(drawn)])


def tree(made: Made, parents: Parents, paper: str = "p1", answers: str = "", **other: object) -> None:
    """One game; ``answers``: Y, N or U of each question."""
    keys: dict[str, object] = {"paper": paper, "model": "m", "condition": "none", "replicate": 0, **other}
    game = "/".join(["game", *(str(value) for value in keys.values())])
    names = {"Y": "YES", "N": "NO", "U": "UNKNOWN"}
    for t, parent in enumerate(parents, 1):
        made.add("parents", game=game, annotator="a", t=t, parent=parent, repaired=False, **keys)
        made.add("turns", unit=game, t=t, answer=names[answers[t - 1 : t] or "U"], **keys)


def placed(*games: Parents) -> pd.DataFrame:
    made = Made()
    for number, parents in enumerate(games):
        tree(made, parents, f"p{number:02}")
    return place_questions(made.frame("parents"), made.frame("turns"))


def walk(parents: Parents, t: int) -> list[int] | None:
    """The way from question t up to the problem, or None where there is none."""
    way = [t]
    while True:
        parent = parents[way[-1] - 1]
        if parent is None or not 0 <= parent < way[-1]:
            return None
        if parent == 0:
            return way
        way.append(parent)


@settings(max_examples=50, deadline=None)
@given(FORESTS)
def test_any_parents_are_placed_as_a_walk_up_finds(forest: list[Parents]) -> None:
    found = placed(*forest)
    ways = [walk(parents, t) for parents in forest for t in range(1, len(parents) + 1)]
    depths = [np.nan if way is None else len(way) for way in ways]
    branches = [np.nan if way is None else way[-1] for way in ways]
    np.testing.assert_array_equal(found["depth"], depths)
    np.testing.assert_array_equal(found["branch"], branches)


@settings(max_examples=50, deadline=None)
@given(TREES)
def test_of_a_whole_tree_every_question_is_below_its_parent_and_in_its_branch(parents: list[int]) -> None:
    found = placed(parents).set_index("t")
    assert not found[["depth", "branch"]].isna().any().any()
    for t, parent in enumerate(parents, 1):
        above = found.loc[parent] if parent else {"depth": 0, "branch": t}
        assert found.loc[t, "depth"] == above["depth"] + 1
        assert found.loc[t, "branch"] == above["branch"]
    assert sorted(found["branch"].unique()) == [t for t, parent in enumerate(parents, 1) if parent == 0]


@settings(max_examples=50, deadline=None)
@given(ANYTHING, st.integers(0, 1000))
def test_the_order_of_the_rows_does_not_matter(parents: Parents, seed: int) -> None:
    made = Made()
    tree(made, parents, "p00")
    rows = made.frame("parents").sample(frac=1, random_state=seed)
    pd.testing.assert_frame_equal(place_questions(rows, made.frame("turns")), placed(parents))


@settings(max_examples=50, deadline=None)
@given(FORESTS)
def test_measures_of_any_game_are_shares_and_add_up(forest: list[Parents]) -> None:
    found = tree_games(placed(*forest))
    assert len(found) == sum(bool(parents) for parents in forest)
    for _, game in found.dropna(subset=["branches"]).iterrows():
        assert 1 <= game["branches"] <= game["questions"] - game["unplaced"]
        assert 1 / game["branches"] <= game["largest"] <= 1
        assert 0 <= game["dropped"] < 1
        assert game[["over-exploitation", "balanced", "over-exploration"]].sum() == 1
    assert (found["branches"].isna() == (found["unplaced"] == found["questions"])).all()


def test_a_parent_that_the_game_lacks_gives_no_place() -> None:
    t, parent = np.array([3, 4, 5]), np.array([0.0, 3.0, 2.0])
    depth, branch = place(np.zeros(3, dtype=np.int64), t, parent)
    np.testing.assert_array_equal(depth, [1, 2, np.nan])
    np.testing.assert_array_equal(branch, [3, 3, np.nan])


def test_what_hangs_below_an_invalid_question_has_no_place_and_is_counted() -> None:
    found = placed([0, None, 2, 1, 5])
    assert found["branch"].fillna(-1).tolist() == [1, -1, -1, 1, -1]
    assert found["child"].isna().all()  # no two questions in a row have both a place
    assert tree_games(found)["unplaced"].tolist() == [3]


def test_steps_by_hand() -> None:
    found = placed([0, 1, 1, 3, 0, 2], [0, 0])
    first = found.loc[found["paper"] == "p00"]
    assert first["depth"].tolist() == [1, 2, 2, 3, 1, 3]
    assert first["child"].fillna(-1).tolist() == [1, 0, 1, 0, 0, -1]
    assert first["leaves"].fillna(-1).tolist() == [0, 0, 0, 1, 1, -1]


def test_an_enumeration_is_three_in_a_row_below_one_question() -> None:
    parents = [0, 1, 1, 1, 0, 0, 0, 5, 5, 1, 5, 5, 5, 5]
    found = enumerations(placed(parents, [0, 1, 1], [0, 1, 1, 1]))
    assert found.tolist() == [*(0, 1, 1, 1, *[0] * 6, 1, 1, 1, 1), *(0, 0, 0), *(0, 1, 1, 1)]


def test_an_unplaced_question_ends_an_enumeration() -> None:
    found = enumerations(placed([0, 1, 1, None, 1, 1]))
    assert found.fillna(-1).tolist() == [0, 0, 0, -1, 0, 0]


@pytest.mark.parametrize(
    ("sizes", "pattern"),
    [
        ((2, 2, 2, 2), "over-exploitation"),
        ((2,) * 5, "balanced"),
        ((12, 2, 2, 2, 2), "balanced"),  # 12 of 20: 60%, and not more
        ((13, 2, 2, 2, 1), "over-exploitation"),
        ((1,) * 10, "balanced"),
        ((1,) * 11, "over-exploration"),
    ],
)
def test_patterns_at_their_limits(sizes: tuple[int, ...], pattern: str) -> None:
    parents: list[int] = []
    for size in sizes:
        start = len(parents) + 1
        parents += [0] + [start] * (size - 1)
    found = tree_games(placed(parents)).iloc[0]
    assert found["pattern"] == pattern
    assert found[pattern] == 1
    assert (found["branches"], found["largest"]) == (len(sizes), max(sizes) / sum(sizes))


def test_gallery_measures_by_hand() -> None:
    # branches: 1 with four questions, 5 with three, 8 with one, 9 with two, in which the game ends
    found = tree_games(placed([0, 1, 2, 3, 0, 5, 5, 0, 0, 9])).iloc[0]
    assert found[["branches", "deepest", "largest", "dropped"]].tolist() == [4, 4, 0.4, 0.5]


def test_shapes_are_means_over_papers() -> None:
    made = Made()
    tree(made, [0] * 12, "p1")
    tree(made, [0, 1, 1, 0, 0, 0, 0, 0, None, None, 0, 0], "p2")
    tree(made, [0] * 12, "p3", condition="full")
    tree(made, [0] * 12, "p3", replicate=1)
    kept = default_trees(made.frame("parents"))
    found = tree_shapes(tree_games(place_questions(kept, made.frame("turns"))), 0).set_index("measure")
    assert found.loc["branches", ["mean", "n_papers", "n_games", "unplaced"]].tolist() == [10, 2, 2, 2]
    assert found.loc["over-exploration", "mean"] == 0.5
    assert found.loc["balanced", "mean"] == 0.5


def test_without_trees_every_table_is_empty() -> None:
    games = tree_games(placed())
    assert len(games) == 0
    assert len(tree_shapes(games, 0)) == 0
