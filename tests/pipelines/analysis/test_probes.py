"""What knowledge closes of a gap: the paper's 10.2%, which model is stronger, what counts as listed."""

import numpy as np
import pandas as pd
import pytest

from pipelines.analysis.probes import (
    BETWEEN_GAMES,
    BETWEEN_MODELS,
    KNOWLEDGE,
    closed_share,
    knowledge,
    knowledge_gaps,
    listed,
    listing_rates,
    recognition_kappas,
)

Finals = dict[tuple[str, str], list[float | None]]
Lists = dict[tuple[str, str], tuple[bool | None, bool | None]]


def scores(finals: Finals, condition: str = "none") -> pd.DataFrame:
    """By model and paper, the final scores of the games."""
    rows = [
        {"game": f"{model}/{paper}/{condition}/{number}", "paper": paper, "model": model, "condition": condition}
        | {"replicate": number, "t": 100, "questions": 100, "score": score, "kind": "game"}
        for (model, paper), given in finals.items()
        for number, score in enumerate(given)
    ]
    columns = ["game", "paper", "model", "condition", "replicate", "t", "questions", "score", "kind"]
    return pd.DataFrame(rows, columns=columns).astype({"score": "float64"})


def recognitions(lists: Lists) -> pd.DataFrame:
    """By model and paper, whether each of two annotators finds the idea."""
    rows = [
        {"game": f"probe/{model}/{paper}", "paper": paper, "model": model, "annotator": annotator, "listed": found}
        for (model, paper), both in lists.items()
        for annotator, found in zip("xy", both, strict=True)
    ]
    return pd.DataFrame(rows, columns=["game", "paper", "model", "annotator", "listed"]).astype({"listed": "object"})


def found(finals: Finals, lists: Lists) -> pd.DataFrame:
    return knowledge(knowledge_gaps(scores(finals), listed(recognitions(lists))), 0).set_index("gap")


def test_a_probe_lists_the_idea_where_both_annotators_say_so() -> None:
    lists: Lists = {
        ("m", "p1"): (True, True),
        ("m", "p2"): (True, False),
        ("m", "p3"): (False, False),
        ("m", "p4"): (True, None),
    }
    probes = listed(recognitions(lists)).set_index("paper")
    assert probes["listed"].fillna(-1).to_dict() == {"p1": 1, "p2": 0, "p3": 0, "p4": -1}
    (rate,) = listing_rates(listed(recognitions(lists)), 0).to_dict("records")
    assert (rate["mean"], rate["n_papers"], rate["left_out"], rate["disputed"]) == (pytest.approx(1 / 3), 3, 1, 1)
    (kappa,) = recognition_kappas(recognitions(lists)).to_dict("records")
    # agree 2/3; by chance 2/3 * 1/3 + 1/3 * 2/3 = 4/9; (2/3 - 4/9) / (5/9)
    assert (kappa["place"], kappa["n"], kappa["unread"]) == ("probe", 3, 1)
    assert kappa["kappa"] == pytest.approx(0.4)


def test_the_papers_numbers_knowledge_closes_10_2_percent() -> None:
    gaps = [2.28] * 24 + [(2.54 * 100 - 2.28 * 24) / 76] * 76
    finals: Finals = {}
    lists: Lists = {}
    for number, gap in enumerate(gaps):
        knows, paper = number < 24, f"p{number}"
        finals |= {("strong", paper): [3 + gap], ("weak", paper): [3.0]}
        lists |= {("strong", paper): (True, knows or number % 2 == 0), ("weak", paper): (knows, knows)}
    (row,) = found(finals, lists).loc[[BETWEEN_MODELS]].to_dict("records")
    assert (row["model"], row["other"], row["n_papers"], row["n_listed"], row["n_games"]) == (
        "strong",
        "weak",
        100,
        24,
        200,
    )
    assert (round(row["mean"], 2), round(row["listed_mean"], 2)) == (2.54, 2.28)
    assert round(100 * row["closed"], 1) == 10.2
    assert row["closed_low"] < row["closed"] < row["closed_high"]


def test_the_stronger_stands_first_whatever_its_name() -> None:
    finals: Finals = {("a", "p1"): [2, 4], ("a", "p2"): [3], ("z", "p1"): [5], ("z", "p2"): [2], ("z", "p3"): [9]}
    lists: Lists = {(model, paper): (True, True) for model in "az" for paper in ("p1", "p2")}
    (row,) = found(finals, lists).loc[[BETWEEN_MODELS]].to_dict("records")
    assert (row["model"], row["other"], row["mean"], row["n_papers"], row["n_games"]) == ("z", "a", 0.5, 2, 5)
    assert (row["closed"], row["listed_mean"]) == (0, 0.5)


def test_both_must_list_it_and_a_probe_that_is_not_read_is_left_out() -> None:
    finals: Finals = {(model, f"p{n}"): [5.0 + n if model == "a" else 3.0] for model in "ab" for n in range(4)}
    lists: Lists = {("a", f"p{n}"): (True, True) for n in range(4)}
    lists |= {("b", "p0"): (True, True), ("b", "p1"): (False, False), ("b", "p2"): (True, None)}
    (row,) = found(finals, lists).loc[[BETWEEN_MODELS]].to_dict("records")  # p2 is not read, p3 has no probe of b
    assert (row["mean"], row["listed_mean"], row["n_papers"], row["n_listed"], row["left_out"]) == (2.5, 2.0, 2, 1, 2)
    assert row["closed"] == pytest.approx(0.2)
    assert np.isnan(row["closed_low"])


def test_the_other_reading_is_best_less_worst_game_of_one_model() -> None:
    finals: Finals = {("m", "p1"): [3, 6, 5], ("m", "p2"): [2, 7], ("m", "p3"): [4, 4]}
    lists: Lists = {("m", "p1"): (True, True), ("m", "p2"): (False, False), ("m", "p3"): (True, True)}
    (row,) = found(finals, lists).reset_index().to_dict("records")
    assert (row["gap"], row["model"], pd.isna(row["other"])) == (BETWEEN_GAMES, "m", True)
    assert (row["mean"], row["listed_mean"], row["n_papers"], row["n_games"]) == (4.0, 3.0, 2, 5)  # p3: best = worst
    assert row["closed"] == 0.25


def test_games_under_a_survey_and_models_without_probes_are_no_part_of_it() -> None:
    plain = scores({("a", "p1"): [5], ("b", "p1"): [3], ("c", "p1"): [1]})
    mixed = pd.concat([plain, scores({("a", "p1"): [10, 1]}, "full")], ignore_index=True)
    probes = listed(recognitions({("a", "p1"): (True, True), ("b", "p1"): (True, True)}))
    gaps = knowledge_gaps(mixed, probes)
    assert gaps[["gap", "model", "other", "difference"]].to_numpy().tolist() == [[BETWEEN_MODELS, "a", "b", 2.0]]


def test_no_share_of_a_gap_that_is_none() -> None:
    frame = pd.DataFrame({"difference": [1.0, -1.0, 0.0], "listed": [1.0, 1.0, 0.0]})
    assert np.isnan(closed_share(frame, 0)).all()
    assert np.isnan(closed_share(frame.assign(difference=1.0, listed=0.0), 0)).all()
    assert closed_share(frame.assign(difference=1.0), 0) == (0, 0, 0)


def test_the_interval_of_the_share_is_that_of_drawing_papers_again() -> None:
    rng = np.random.default_rng(5)
    own = np.arange(40) < 12
    frame = pd.DataFrame({"difference": rng.normal(2.5, 1, 40) - 0.5 * own, "listed": own.astype("float64")})
    gap, drawn = frame["difference"].to_numpy(), rng.integers(0, 40, (20_000, 40))
    shares = [1 - gap[d][own[d]].mean() / gap[d].mean() for d in drawn if own[d].any()]
    closed, low, high = closed_share(frame, 0)
    assert closed == pytest.approx(1 - gap[own].mean() / gap.mean())
    assert (low, high) == pytest.approx(np.percentile(shares, [2.5, 97.5]), abs=0.02)


def test_no_probes_give_no_rows_and_all_columns() -> None:
    empty = found({}, {}).reset_index()
    assert empty.columns.tolist() == KNOWLEDGE
    assert len(empty) == len(found({("a", "p1"): [5], ("b", "p1"): [3]}, {})) == 0
    assert len(listing_rates(listed(recognitions({})), 0)) == 0
