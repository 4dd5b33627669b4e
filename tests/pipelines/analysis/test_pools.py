"""Pooled games against solo ones and one another, with the paper's Table 2; picks accounted for, whatever they are."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from pipelines.analysis.pools import SHARES, accounted, pick_shares, pool_gains, pool_scores, selector_differences
from pipelines.analysis.reported import reported, value

SELECTORS = ("gpt-oss-120b", "deepseek-v4-flash", "gpt-5-4")
NAMES = st.sampled_from(["a", "b", "c"])


class Played:
    """Units, scores and picks of pooled games (T = 30), and scores of solo ones (T = 100)."""

    def __init__(self) -> None:
        self._units: list[dict[str, object]] = []
        self._scores: list[dict[str, object]] = []
        self._picks: list[dict[str, object]] = []

    def solo(self, model: str, paper: str, score: float | None, replicate: int = 0, condition: str = "none") -> None:
        keys = {"game": f"game/{paper}/{model}/{condition}/{replicate}", "paper": paper, "model": model}
        own = {**keys, "condition": condition, "replicate": replicate, "questions": 100, "kind": "game"}
        self._scores += [{**own, "t": t, "score": at} for t, at in ((0, 1.0), (30, score), (100, 9.0))]

    def pool(self, model: str, paper: str, score: float | None = 5, replicate: int = 0, selection: str = "model",
             status: str = "ok") -> str:  # fmt: skip
        game = f"pool/{paper}/{model}/{selection}/{replicate}"
        own = {"game": game, "paper": paper, "model": model, "replicate": replicate, "questions": 30, "kind": "pool"}
        self._units.append({**own, "unit": game, "selection": selection, "status": status})
        self._scores += [{**own, "condition": "none", "t": t, "score": at} for t, at in ((0, 1.0), (30, score))]
        return game

    def turn(self, unit: str, t: int, proposers: list[str], chosen: int) -> None:
        """One turn: who proposed in the order that was shown, and which place was picked (from 0)."""
        for place, name in enumerate(proposers):
            keys = {"unit": unit, "paper": unit.split("/")[1], "model": unit.split("/")[2], "t": t}
            self._picks.append({**keys, "position": place + 1, "proposer": name, "chosen": place == chosen})

    @property
    def units(self) -> pd.DataFrame:
        names = ["unit", "game", "paper", "model", "replicate", "questions", "kind", "selection", "status"]
        return pd.DataFrame(self._units, columns=names)

    @property
    def scores(self) -> pd.DataFrame:
        names = ["game", "paper", "model", "condition", "replicate", "t", "questions", "score", "kind"]
        return pd.DataFrame(self._scores, columns=names).astype({"score": "float64"})

    @property
    def picks(self) -> pd.DataFrame:
        names = ["unit", "paper", "model", "t", "position", "proposer", "chosen"]
        return pd.DataFrame(self._picks, columns=names)

    def shares(self) -> pd.DataFrame:
        return pick_shares(self.units, self.picks, 0)


def centred(n: int, low: float, mean: float, high: float) -> np.ndarray:
    """Values whose mean and 95% t-interval are these."""
    raw = np.linspace(-1, 1, n)
    return mean + raw / raw.std(ddof=1) * (high - low) / 2 / student.ppf(0.975, n - 1) * np.sqrt(n)


def table_2() -> Played:
    """Papers that have the paper's means and intervals: pooled and solo scores of three selectors."""
    played = Played()
    for model in SELECTORS:
        told = reported().query("table == 'Table 2' and row == @model").set_index("column")["value"]
        score, gain = told["score at 30"], told["gain over solo"]
        gains = centred(100, told["gain over solo, low"], gain, told["gain over solo, high"])
        for place, one in enumerate(gains):
            played.pool(model, f"p{place}", score)
            played.solo(model, f"p{place}", score - one)
    return played


def test_table_2_comes_out_of_papers_that_have_it() -> None:
    played, frame = table_2(), reported()
    scores = pool_scores(played.units, played.scores, 0).set_index("model")
    gains = pool_gains(played.units, played.scores, 0).set_index("model")
    for model in SELECTORS:
        told = frame.query("table == 'Table 2' and row == @model").set_index("column")["value"]
        assert round(scores.loc[model, "mean"], 2) == told["score at 30"]
        low, mean, high = (told[f"gain over solo{end}"] for end in (", low", "", ", high"))
        middle = round(low + high - 2 * mean, 2) / 2  # DeepSeek's is half a hundredth beside its mean, by rounding
        own = gains.loc[model, ["low", "mean", "high"]].astype("float64").add([middle, 0, middle])
        assert own.round(2).tolist() == [low, mean, high]
        assert gains.loc[model, "boot_low"] == pytest.approx(low, abs=0.05)
    assert (gains["p_holm"] < 0.001).all()
    assert set(gains["family"]) == {"Holm over the selectors, 3 tests"}


def test_random_and_best_of_are_one_test_each_against_their_own_model() -> None:
    played, frame = Played(), reported()
    best, alone = (value(frame, "Table 2", "best of 4", f"{name}score at 30") for name in ("", "solo "))
    drawn = value(frame, "Table 2", "random", "score at 30")
    for place, shift in enumerate((-0.2, 0.1, 0.1)):
        played.solo("x", f"p{place}", alone)
        played.pool("x", f"p{place}", best + shift, selection="best_of")
        played.pool("x", f"p{place}", drawn - shift, selection="random")
    found = pool_gains(played.units, played.scores, 0).set_index("selection")
    assert found.index.tolist() == ["random", "best_of"]
    assert found["first"].round(2).to_dict() == {"random": 4.43, "best_of": 4.57}
    assert found["second"].round(2).tolist() == [4.16, 4.16]
    assert found["mean"].round(2).to_dict() == {"random": 0.27, "best_of": 0.41}
    assert found["p_holm"].tolist() == found["p"].tolist()


def test_solo_is_at_the_same_t_without_a_survey_on_the_papers_that_were_pooled() -> None:
    played = Played()
    for replicate, score in enumerate((5, 7)):
        played.pool("m", "p1", score, replicate)
    for replicate, score in enumerate((3, 4, 5)):
        played.solo("m", "p1", score, replicate)
    played.solo("m", "p1", 10, condition="full")
    played.pool("m", "p2", 4)
    played.solo("m", "p2", 5)
    played.pool("m", "p3", 4)  # no solo score
    played.solo("m", "p3", None)
    played.solo("m", "p4", 1)  # not pooled
    played.pool("m", "p5", None, status="error")
    (row,) = pool_gains(played.units, played.scores, 0).to_dict("records")
    assert (row["mean"], row["first"], row["second"]) == (0.5, 5.0, 4.5)  # p1: 6 - 4, p2: 4 - 5
    assert (row["n_papers"], row["n_games"], row["left_out"]) == (2, 7, 1)
    (row,) = pool_scores(played.units, played.scores, 0).to_dict("records")
    assert (row["mean"], row["n_papers"], row["unrated"]) == (pytest.approx(14 / 3), 3, 0)


def test_six_pairs_of_four_selectors_with_holm() -> None:
    played = Played()
    for place, (number, model) in product(range(5), enumerate("abcd")):
        played.pool(model, f"p{place}", 5 + number * place % 3)
        played.pool(model, f"p{place}", 1, selection="random")
    found = selector_differences(played.units, played.scores, 0)
    assert ["".join(pair) for pair in found[["model", "other"]].to_numpy()] == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert set(found["family"]) == {"Holm over the pairs of selectors, 6 tests"}
    ad = found.set_index(["model", "other"]).loc[("a", "d")]
    assert (ad["first"], ad["second"], ad["mean"], ad["n_papers"]) == (5, 5, 0, 5)  # 3 * place % 3 is 0
    assert (ad["p"], ad["p_holm"]) == (1, 1)
    assert found["p_holm"].min() == pytest.approx(min(1, 6 * found["p"].min()))


def test_shares_by_hand() -> None:
    played = Played()
    one, two = played.pool("a", "p1"), played.pool("a", "p2")
    played.turn(one, 1, ["a", "b", "c"], 0)
    played.turn(one, 2, ["c", "a", "b"], 0)
    played.turn(two, 1, ["b", "c", "a"], 2)
    played.turn(two, 2, ["b", "a", "c"], 1)
    played.turn(played.pool("b", "p1", selection="best_of"), 1, ["b", "b", "b"], 1)
    played.turn(played.pool("a", "p3", status="error"), 1, ["a", "b", "c"], 1)
    found = played.shares().set_index(["selection", "model", "proposer"])
    assert found["share"].to_dict() == {
        ("model", "a", "a"): 0.75,
        ("model", "a", "b"): 0,
        ("model", "a", "c"): 0.25,
        ("best_of", "b", "b"): 1,
    }
    row = found.loc[("model", "a", "a")]
    assert row[["picked", "n", "proposed", "of", "n_papers", "n_games", "left_out"]].tolist() == [3, 4, 4, 12, 2, 2, 0]
    assert found.loc[("best_of", "b", "b"), ["picked", "n", "proposed", "of"]].tolist() == [1, 1, 3, 3]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(NAMES, st.lists(NAMES, min_size=1, max_size=4), st.integers(0, 3)), min_size=1, max_size=12))
def test_every_proposal_and_every_pick_is_counted_once(turns: list[tuple[str, list[str], int]]) -> None:
    played, units = Played(), {}
    for t, (selector, proposers, place) in enumerate(turns, 1):
        units.setdefault(selector, played.pool(selector, "p1") if selector not in units else "")
        played.turn(units[selector], t, proposers, place % len(proposers))
    found = played.shares()
    for selector, part in found.groupby("model"):
        own = [turn for turn in turns if turn[0] == selector]
        said = [name for _, proposers, _ in own for name in proposers]
        taken = [proposers[place % len(proposers)] for _, proposers, place in own]
        rows = part.set_index("proposer")
        assert rows["proposed"].to_dict() == {name: said.count(name) for name in set(said)}
        assert rows["picked"].to_dict() == {name: taken.count(name) for name in set(said)}
        assert (set(rows["n"]), set(rows["of"])) == ({len(own)}, {len(said)})
        assert rows["share"].sum() == pytest.approx(1)
    assert (found["left_out"] == 0).all()


@settings(max_examples=15, deadline=None)
@given(st.permutations(["a", "b", "c", "d"]), st.permutations(range(12)), st.integers(0, 3))
def test_neither_the_order_shown_nor_that_of_the_rows_matters(
    shown: list[str], rows: list[int], chosen: int
) -> None:  # fmt: skip
    plain, shuffled = Played(), Played()
    for t in range(1, 4):
        names = ["a", "b", "c", "d"]
        plain.turn(plain.pool("a", "p1") if t == 1 else "pool/p1/a/model/0", t, names, (chosen + t) % 4)
        place = shown.index(names[(chosen + t) % 4])
        shuffled.turn(shuffled.pool("a", "p1") if t == 1 else "pool/p1/a/model/0", t, shown, place)
    mixed = pick_shares(shuffled.units, shuffled.picks.iloc[rows], 0)
    pd.testing.assert_frame_equal(plain.shares(), mixed)


@pytest.mark.parametrize(
    ("column", "at", "wrong"),
    [("chosen", 0, False), ("chosen", 1, True), ("position", 1, 1), ("position", 1, 3), ("proposer", 1, None)],
)
def test_a_turn_whose_account_does_not_add_up_is_left_out_and_counted(column: str, at: int, wrong: object) -> None:
    played = Played()
    unit = played.pool("a", "p1")
    played.turn(unit, 1, ["a", "b"], 0)
    played.turn(unit, 2, ["b", "a"], 0)
    broken = played.picks.astype({column: "object"})
    broken.loc[at, column] = wrong
    broken = broken.astype({"position": "int64"})
    assert accounted(broken)["whole"].tolist() == [False, False, True, True]
    found = pick_shares(played.units, broken, 0)
    assert found[["proposer", "share", "n", "left_out"]].to_numpy().tolist() == [["a", 0, 1, 1], ["b", 1, 1, 1]]


def test_no_pooled_games_give_no_rows_and_the_same_columns() -> None:
    full, empty = table_2(), Played()
    empty.solo("m", "p1", 5)
    for table in (pool_scores, pool_gains, selector_differences):
        none = table(empty.units, empty.scores, 0)
        assert len(none) == 0
        assert none.columns.tolist() == table(full.units, full.scores, 0).columns.tolist()
    assert empty.shares().columns.tolist() == SHARES
    assert len(empty.shares()) == 0
