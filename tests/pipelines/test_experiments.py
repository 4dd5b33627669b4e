"""Every experiment on the game, whole, with the scripted cast: what is played, what is read, what is played once."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench

from actors.survey import read_survey
from pipelines import growth
from pipelines.cli import main

TWO = ("cast=scripted", "papers=2", "inquisitors=[novice,master]", "judges=[fair]", "replicates=2", "questions=20")


def new_calls(bench: Bench) -> pd.DataFrame:
    """The calls that the latest driver made, by unit's kind."""
    played = bench.played(bench.writers()[-1])
    return pd.Series([unit.split("/")[0] for unit in played]).value_counts()


def test_forks_go_on_from_the_best_and_the_worst_game(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("experiment=game", *TWO) == 0
    fork = ("experiment=prefix_fork", *TWO, "fork.at=[10]", "fork.continuations=2")
    assert bench.run(*fork) == 0
    assert set(new_calls(bench).index) == {"fork", "judging"}  # no game is played or rated again
    units = bench.table("units", *fork)
    forks = units[units.kind == "fork"]
    ratings = bench.table("ratings", *fork)
    final = ratings[ratings.t == 20].set_index("game").score
    for (_, _), group in forks.groupby(["paper", "model"]):
        scores = final[
            units[(units.kind == "game") & units.paper.isin(group.paper) & units.model.isin(group.model)].unit
        ]
        assert {final[source] for source in group[group.side == "best"].source} == {scores.max()}
        assert {final[source] for source in group[group.side == "worst"].source} == {scores.min()}
        assert sorted(zip(group.side, group.continuation, strict=True)) == [
            ("best", 0),
            ("best", 1),
            ("worst", 0),
            ("worst", 1),
        ]
    capsys.readouterr()
    first = forks.iloc[0]
    assert main(["show", first.unit, "--store", str(bench.outputs / "store")]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [first.unit, f"  goes on from {first.source}"]
    turns, cards = bench.table("turns", *fork), bench.table("cards", *fork)
    for fork_unit in forks.unit:
        assert turns[turns.unit == fork_unit].t.tolist() == list(range(11, 21))
        assert cards[cards.unit == fork_unit].t.tolist() == [20]
    calls = bench.table("calls", *fork)
    assert (calls[calls.unit.isin(forks.unit)].groupby(["unit", "seat"]).size().unstack() == [10, 1, 10]).all(axis=None)


def test_the_best_and_the_worst_game_are_of_one_condition(bench: Bench) -> None:
    fork = ("experiment=prefix_fork", *TWO, "papers=1", "condition=[none,full]", "fork.at=[10]", "fork.continuations=1")
    assert bench.run(*fork) == 0
    units = bench.table("units", *fork)
    forks = units[units.kind == "fork"]
    assert set(forks.condition) == {"none", "full"}
    assert (forks.groupby(["model", "condition"]).side.apply(sorted).map(tuple) == ("best", "worst")).all()


def test_another_cut_adds_only_its_own_forks(bench: Bench) -> None:
    one = ("experiment=prefix_fork", *TWO, "fork.continuations=1")
    assert bench.run(*one, "fork.at=[10]") == 0
    before = set(bench.table("units", *one, "fork.at=[10]").unit)
    both = (*one, "fork.at=[10,5]", "card_every=5")
    assert bench.run(*one, "fork.at=[10]") == 0
    assert len(bench.writers()) == 1  # nothing to play
    assert bench.run(*both) == 0  # other cards, other games
    assert not before & set(bench.table("units", *both).unit)


def test_forks_wait_for_the_games_that_are_left_out(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    fork = ("experiment=prefix_fork", *TWO, "fork.at=[10]")
    assert bench.run(*fork, "only.replicate=0") == 0
    assert "4 pairs of paper and model lack a game or a rating; their forks wait for it" in capsys.readouterr().out
    assert "fork" not in set(bench.table("units", *fork).kind)
    assert bench.run(*fork) == 0
    assert "fork" in set(bench.table("units", *fork).kind)


def test_a_probe_is_read_by_each_annotator(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    probe = ("experiment=probe", *TWO, "probe.candidates=4", "probe.samples=2")
    assert bench.run(*probe) == 0
    candidates, recognitions = bench.table("candidates", *probe), bench.table("recognitions", *probe)
    assert (candidates.groupby(["paper", "model"]).size() == 8).all()
    assert recognitions.groupby("annotator").size().to_dict() == {"reader": 4, "skimmer": 4}
    capsys.readouterr()
    assert main(["show", recognitions.unit.iloc[0], "--store", str(bench.outputs / "store")]) == 0
    said = capsys.readouterr().out
    assert all(idea in said for idea in candidates[candidates.unit == recognitions.game.iloc[0]].idea)
    listed = recognitions[recognitions.listed]
    assert listed.candidate.between(1, 8).all()
    assert recognitions[~recognitions.listed.astype(bool)].candidate.isna().all()


def test_lists_of_candidates_are_nothing_for_judges(bench: Bench, refusal: Callable[[Sequence[str]], str]) -> None:
    study = ("experiment=study", "experiments=[probe]", *TWO, "papers=1")
    assert bench.run(*study) == 0
    judge = ["run", *bench.overrides("cast=scripted", "experiment=judge")]
    (probes,) = bench.outputs.glob("probe-*")
    assert "has no games to judge" in refusal([*judge, f"from=[{probes}]"])
    (whole,) = bench.outputs.glob("study-*")
    assert "is a study of several runs" in refusal([*judge, f"from=[{whole}]"])


def test_a_pool_is_played_by_each_selector_beside_solo_games(bench: Bench) -> None:
    pool = ("experiment=question_pool", *TWO, "replicates=1", "pool.questions=10", "pool.selectors=[novice,master]")
    assert bench.run(*pool) == 0
    units, picks, turns = (bench.table(name, *pool) for name in ("units", "picks", "turns"))
    pools = units[units.kind == "pool"]
    assert sorted(set(zip(pools.selection, pools.model, strict=True))) == [
        ("best_of", "adept"),
        ("model", "master"),
        ("model", "novice"),
        ("random", "adept"),
    ]
    assert (picks.groupby(["unit", "t"]).chosen.sum() == 1).all()
    assert (picks.groupby(["unit", "t"]).position.apply(sorted).map(tuple) == (1, 2, 3, 4)).all()
    own = picks[picks.unit.isin(pools[pools.selection == "best_of"].unit)]
    assert set(own.proposer) == {"adept"}
    others = picks[~picks.unit.isin(own.unit)]
    assert (others.groupby(["unit", "t"]).proposer.nunique() == 4).all()
    asked = picks[picks.chosen].set_index(["unit", "t"]).question
    assert turns[turns.unit.isin(pools.unit)].set_index(["unit", "t"]).question.equals(asked)
    assert turns.prompt.nunique() == 1  # proposals are asked for by the question prompt
    assert not turns.prompt.isna().any()
    assert (units[units.kind == "game"].questions == 20).all()
    assert set(bench.table("ratings", *pool).game) == set(units[units.kind.isin(["game", "pool"])].unit)


def test_mentions_and_lines_are_what_a_careful_reader_sees(bench: Bench) -> None:
    mentions = ("experiment=mentions", *TWO, "replicates=1", "annotators=[reader]", "judging=false", "batch=7")
    assert bench.run(*mentions) == 0
    marks, lines, turns = (bench.table(name, *mentions) for name in ("mentions", "lines", "turns"))
    games = 2 * 2 * 4  # papers, models, conditions
    assert (marks.groupby("game").size() == 21).all()
    assert marks.game.nunique() == games
    assert lines.game.nunique() == games * 3 // 4  # none has no survey to ask about
    assert (lines.inserted.between(1, lines.of)).all()
    questions = marks[marks.place == "question"].merge(turns, left_on=["game", "t"], right_on=["unit", "t"])
    for (paper, _), asked in questions.groupby(["paper_x", "model_x"]):
        survey = read_survey(Path("datasets/surveys") / f"{paper}.json")
        for phrase, marked in ((survey.core, asked.core), (survey.decoy, asked.decoy)):
            assert (asked.question.str.casefold().str.contains(phrase.casefold(), regex=False) == marked).all()
    assert questions.core.any()


def test_a_tree_has_a_parent_for_each_question(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    tree = ("experiment=tree", *TWO, "judging=false")
    assert bench.run(*tree) == 0
    parents = bench.table("parents", *tree)
    assert parents.game.nunique() == 2 * 2  # the first replicate of each
    assert (parents.groupby("game").size() == 20).all()
    assert (parents.parent < parents.t).all()
    assert (parents.parent == 0).groupby(parents.game).any().all()
    capsys.readouterr()
    assert main(["show", parents.unit[0], "--store", str(bench.outputs / "store")]) == 0
    said = capsys.readouterr().out
    own = parents[parents.unit == parents.unit[0]]
    assert said.count("reader: follows the problem") == (own.parent == 0).sum()
    for _, row in own[own.parent > 0].iterrows():
        assert f"reader: follows {row.parent}\n" in said


def test_candidate_answerers_answer_the_stored_questions(bench: Bench) -> None:
    answers = ("experiment=answerer", *TWO, "answerers=[oracle,hasty]")
    assert bench.run(*answers) == 0
    again, turns = bench.table("answers", *answers), bench.table("turns", *answers)
    both = again.merge(turns, left_on=["game", "t"], right_on=["unit", "t"])
    agree = (both.answer_x == both.answer_y).groupby(both.answerer).mean()
    assert len(both) == len(again) == 2 * 4 * 20
    assert agree["oracle"] > 0.9
    assert agree["hasty"] < agree["oracle"]


def test_a_study_plays_what_its_runs_share_once(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    study = ("experiment=study", *TWO, "fork.at=[10]", "pool.questions=10")
    assert bench.run(*study) == 0
    played = bench.played(bench.writers()[0])
    assert len(played) == len(set(played))
    assert {unit.split("/")[0] for unit in played} == {
        *("game", "fork", "pool", "probe", "judging", "recognition", "mentions", "lines", "tree", "answers")
    }
    assert bench.run(*study) == 0
    assert len(bench.writers()) == 1
    (folder,) = bench.outputs.glob("study-*")
    capsys.readouterr()
    assert main(["status", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["experiment"] == "study"
    assert sum(counts["ok"] for counts in found["units"].values()) == len(played)
    assert len(found["runs"]) == 8


def test_a_forced_run_forks_what_it_has_just_rated(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    fork = ("experiment=prefix_fork", *TWO, "papers=1", "fork.at=[10]", "fork.continuations=1")
    assert bench.run(*fork) == 0
    before = bench.table("units", *fork)
    real = growth.final
    monkeypatch.setattr(growth, "final", lambda *about: -(real(*about) or 0.0))
    assert bench.run(*fork, "force=true") == 0
    after = bench.table("units", *fork)
    sides = [frame[frame.kind == "fork"].set_index(["source", "cut"]).side for frame in (before, after)]
    swapped = sides[0].map({"best": "worst", "worst": "best"})
    assert sides[1].sort_index().equals(swapped.sort_index())  # by the new ratings, and none of before
    played = bench.played(bench.writers()[-1])
    assert sorted(played) == sorted(set(after.unit))
    assert [unit.startswith(("fork/", "judging/fork/")) for unit in played] == sorted(
        unit.startswith(("fork/", "judging/fork/")) for unit in played
    )


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["experiment=prefix_fork", "fork=null"], "fork: experiment=prefix_fork cannot do without"),
        (["experiment=probe", "probe=null"], "probe: experiment=probe cannot do without"),
        (["experiment=probe", "annotators=null"], "annotators: experiment=probe cannot do without"),
        (["experiment=question_pool", "pool=null"], "pool: experiment=question_pool cannot do without"),
        (["experiment=mentions", "batch=null"], "batch: experiment=mentions cannot do without"),
        (["experiment=tree", "tree_annotator=null"], "tree_annotator: experiment=tree cannot do without"),
        (["experiment=answerer", "answerers=null"], "answerers: experiment=answerer cannot do without"),
        (["experiment=game", "from=[somewhere]"], "from: only experiment=judge reads earlier runs"),
        (["experiment=study", "outputs=/dev/null/here"], "cannot be written"),
    ],
)
def test_an_experiment_without_what_it_is_about_is_refused(
    bench: Bench, refusal: Callable[[Sequence[str]], str], overrides: list[str], said: str
) -> None:
    assert said in refusal(["run", *bench.overrides("cast=scripted", "questions=40", "papers=1", *overrides)])
    assert not bench.outputs.exists()


def test_a_study_may_do_a_part_that_not_all_of_its_runs_have(bench: Bench) -> None:
    study = ("experiment=study", *TWO, "papers=1", "experiments=[tree,game,tree]")
    assert bench.run(*study, "only.replicate=1") == 0
    assert set(bench.table("units", "experiment=tree", *TWO, "papers=1").status) == {"pending"}
    done = bench.table("units", "experiment=game", *TWO, "papers=1")
    assert set(done[done.status == "ok"].replicate) == {1}
