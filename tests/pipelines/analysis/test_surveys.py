"""What a survey brings: differences by hand, the paper's gains, and both values of r from the inputs that give them."""

import pandas as pd
import pytest

from pipelines.analysis.reported import reported
from pipelines.analysis.surveys import CONTRASTS, condition_gains, condition_scores, gain_and_start

Finals = dict[tuple[str, str, str], list[float | None]]


def scores(finals: Finals) -> pd.DataFrame:
    """By model, condition and paper, the games' final scores; each game also has a card at 0."""
    rows = [
        {"game": f"{model}/{condition}/{paper}/{number}", "paper": paper, "model": model, "condition": condition}
        | {"replicate": number, "t": t, "questions": 100, "score": score if t else 1.0, "kind": "game"}
        for (model, condition, paper), given in finals.items()
        for number, score in enumerate(given)
        for t in (0, 100)
    ]
    columns = ["game", "paper", "model", "condition", "replicate", "t", "questions", "score", "kind"]
    return pd.DataFrame(rows, columns=columns).astype({"score": "float64"})


def told(table: str, column: str) -> pd.Series:
    frame = reported()
    return frame.loc[(frame["table"] == table) & (frame["column"] == column)].set_index("row")["value"]


def as_gains(gain: pd.Series, start: pd.Series) -> pd.DataFrame:
    frame = pd.DataFrame({"mean": gain, "second": start}).rename_axis("model").reset_index()
    return frame.assign(condition="full", against="decoy", questions=100)


def test_final_scores_by_condition_in_their_order() -> None:
    frame = scores({("m", "full", "p1"): [6, 8], ("m", "full", "p2"): [5, None], ("m", "none", "p1"): [2]})
    other = frame.assign(kind="fork", game=frame["game"] + "f", score=9.0)
    found = condition_scores(pd.concat([frame, other], ignore_index=True), 0)
    assert found[["condition", "t", "mean", "n_papers", "n_games", "unrated"]].to_numpy().tolist() == [
        ["none", 100, 2.0, 1, 1, 0],
        ["full", 100, 6.0, 2, 3, 1],
    ]


def test_gains_are_paired_by_paper() -> None:
    finals: Finals = {("m", "full", "p1"): [6, 8], ("m", "decoy", "p1"): [5], ("m", "full", "p2"): [5]}
    finals |= {("m", "decoy", "p2"): [6, None], ("m", "full", "p3"): [9], ("m", "none", "p1"): [4]}
    found = condition_gains(scores(finals), 0).set_index(["condition", "against"])
    row = found.loc[("full", "decoy")]
    assert (row["mean"], row["first"], row["second"]) == (0.5, 6.0, 5.5)  # p1: 7 - 5, p2: 5 - 6
    assert (row["n_papers"], row["n_games"], row["left_out"]) == (2, 5, 1)
    assert found["mean"].to_dict() == {
        ("full", "decoy"): 0.5,
        ("full", "none"): 3.0,
        ("decoy", "none"): 1.0,
    }


def test_the_papers_gains_from_its_scores_with_holm_over_six() -> None:
    decoy, full = (told("Figure 6", f"score at 100, {name}") for name in ("decoy", "full"))
    finals: Finals = {}
    for model in decoy.index:
        for place in range(10):
            shift = (place - 4.5) / 10
            finals[model, "decoy", f"p{place}"] = [decoy[model] - shift]
            finals[model, "full", f"p{place}"] = [full[model] + shift / 3]
    found = condition_gains(scores(finals), 0).set_index("model")
    assert set(found["against"]) == {"decoy"}
    assert found["mean"].round(2).to_dict() == (full - decoy).round(2).to_dict()
    assert found["second"].round(2).to_dict() == decoy.to_dict()
    assert set(found["family"]) == {"Holm over the inquisitors, 6 tests"}
    assert found["p_holm"].loc[found["p"].idxmin()] == pytest.approx(6 * found["p"].min())
    (r,) = gain_and_start(found.reset_index())["r"]
    assert round(r, 3) == -0.734


def test_both_values_of_r_from_the_inputs_that_give_them() -> None:
    decoy, full = (told("Figure 6", f"score at 100, {name}") for name in ("decoy", "full"))
    for gain, r, p in ((told("Table 5", "gain, whole panel"), -0.743, 0.091), (full - decoy, -0.734, 0.096)):
        (row,) = gain_and_start(as_gains(gain, decoy)).to_dict("records")
        assert (round(row["r"], 3), round(row["p"], 3), row["n_models"]) == (r, p, 6)
        assert row["family"] == "descriptive, no test"
        assert row["note"].startswith("descriptive")
        assert "contains the decoy score" in row["note"]


def test_no_r_of_two_models_or_of_equal_gains() -> None:
    start = pd.Series({"a": 4.0, "b": 5.0, "c": 6.0})
    assert gain_and_start(as_gains(start.iloc[:2], start.iloc[:2]))[["r", "p"]].isna().all(axis=None)
    assert gain_and_start(as_gains(start * 0 + 1, start))["r"].isna().all()


def test_no_games_give_no_rows_and_the_same_columns() -> None:
    full = condition_gains(scores({(m, c, "p"): [4] for m in "ab" for c in ("none", "dummy", "decoy", "full")}), 0)
    assert list(dict.fromkeys(zip(full["condition"], full["against"], strict=True))) == list(CONTRASTS)
    for table in (condition_scores, condition_gains):
        assert len(table(scores({}), 0)) == 0
    assert condition_gains(scores({}), 0).columns.tolist() == full.columns.tolist()
    assert len(gain_and_start(condition_gains(scores({}), 0))) == 0
