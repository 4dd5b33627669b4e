"""Which trees are drawn, and which of them where there is no room for all."""

import pandas as pd
import pytest

from pipelines.report.chapters.gallery import Gallery, choose, gallery

PARENTS = {"a": [0, 1, 1], "b": [0, 0, 2], "c": [0, 0, None]}


def games(*rows: tuple[str, int, float, str], **other: object) -> pd.DataFrame:
    """Rows of paper, branches, largest, pattern."""
    frame = pd.DataFrame(rows, columns=["paper", "branches", "largest", "pattern"])
    keys = {"annotator": "r", "model": "m", "questions": 3, "unplaced": 0, **other}
    return frame.assign(**keys, game=frame["paper"] + "/" + str(keys["model"]))


def roles(found: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(found["paper"], found["role"], strict=True))


def questions(sample: pd.DataFrame, text: str = "Is it a loss?") -> pd.DataFrame:
    """The questions of each tree in ``sample``: its parents by paper."""
    rows = []
    for _, head in sample.iterrows():
        parents = PARENTS[head["paper"]]
        depth: dict[int, int | None] = {0: 0}
        branch: dict[int, int | None] = {}
        for t, parent in enumerate(parents, 1):
            depth[t] = None if parent is None else (depth[parent] or 0) + 1
            branch[t] = None if parent is None else (branch[parent] if parent else t)
            row = {"t": t, "parent": parent, "depth": depth[t], "branch": branch[t], "question": f"{text} ({t})"}
            rows.append({"game": head["game"], "annotator": "r", "answer": "NO", **row})
    return pd.DataFrame(rows).astype(dict.fromkeys(["t", "parent", "depth", "branch"], "Int64"))


def shown(found: Gallery | None) -> list[str]:
    assert found is not None
    return [str(tree.head["paper"]) for _, trees in found.groups for tree in trees]


def test_fewest_balanced_and_most_are_chosen() -> None:
    found = choose(
        games(
            *(("a", 7, 0.3, "balanced"), ("b", 2, 0.6, "over-exploitation"), ("c", 2, 0.9, "over-exploitation")),
            *(("d", 20, 0.3, "over-exploration"), ("e", 20, 0.1, "over-exploration"), ("f", 5, 0.3, "balanced")),
            *(("g", 9, 0.3, "balanced"), ("h", 8, 0.3, "balanced")),
        )
    )
    assert roles(found) == [("c", "fewest branches"), ("a", "balanced"), ("e", "most branches")]
    assert set(found["of"]) == {8}


def test_a_tree_that_is_two_of_these_stands_once() -> None:
    found = choose(games(("a", 6, 0.3, "balanced"), ("b", 12, 0.3, "over-exploration")))
    assert roles(found) == [("a", "fewest branches"), ("b", "most branches")]
    assert roles(choose(games(("a", 6, 0.3, "balanced")))) == [("a", "only")]


def test_a_tree_without_a_place_for_any_question_is_not_chosen() -> None:
    assert len(choose(games(("a", 1, 1.0, "balanced")).assign(branches=float("nan")))) == 0
    assert gallery(choose(games()), questions(games(("a", 1, 1.0, "balanced")))) is None


def test_each_model_and_length_has_its_own() -> None:
    two = pd.concat([games(("a", 6, 0.3, "balanced"), model=model, questions=t) for model, t in (("m", 3), ("n", 2))])
    sample = choose(two)
    found = gallery(sample, questions(sample))
    assert found is not None
    assert [title for title, _ in found.groups] == ["m, T = 3", "n, T = 2"]
    assert (found.shown, found.chosen, found.of) == (2, 2, 2)


def test_branches_hold_their_questions_in_the_order_of_the_tree() -> None:
    sample = choose(games(("c", 2, 0.5, "balanced"), unplaced=1))
    found = gallery(sample, questions(sample))
    assert found is not None
    (tree,) = found.groups[0][1]
    assert [(one.number, [row["t"] for row in one.questions], one.deepest) for one in tree.branches] == [
        (1, [1], 1),
        (2, [2], 1),
    ]
    assert [row["t"] for row in tree.unplaced] == [3]
    assert tree.branches[0].answers == [("NO", 1)]


@pytest.mark.parametrize(("room", "kept"), [(10**6, ["a", "b", "c"]), (5000, ["a", "c"]), (2500, ["a"]), (0, [])])
def test_the_balanced_goes_first_where_there_is_no_room(room: int, kept: list[str]) -> None:
    rows = [("a", 1, 1.0, "over-exploitation"), ("b", 6, 0.5, "balanced"), ("c", 12, 0.5, "over-exploration")]
    sample = choose(games(*rows))
    found = gallery(sample, questions(sample), max_bytes=room)
    assert shown(found) == kept
    assert found is not None
    assert (found.chosen, found.of) == (3, 3)


def test_a_long_question_takes_no_more_than_its_share() -> None:
    sample = choose(games(("a", 6, 0.3, "balanced")))
    assert shown(gallery(sample, questions(sample, text="<" * 10**6), max_bytes=20_000)) == ["a"]
