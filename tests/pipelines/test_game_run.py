"""Scripted runs through the whole path: equal from one seed, in known order, played once, again only where asked."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Bench, but_times

from pipelines.cli import main

WHOLE = ("cast=scripted", "replicates=3", "questions=100")
SMALL = ("cast=scripted", "replicates=2", "questions=5", "papers=2")


def test_all_papers_twice_with_one_seed_give_equal_tables_and_the_personas_come_out_in_order(
    bench: Bench, another: Bench
) -> None:
    assert bench.run(*WHOLE) == 0
    assert another.run(*WHOLE) == 0
    for name in ("units", "turns", "cards", "ratings", "calls"):
        one, two = (but_times(where.table(name, *WHOLE)) for where in (bench, another))
        assert one.equals(two), name
        assert len(one) > 0
    units = bench.table("units", *WHOLE)
    papers = units.paper.nunique()
    assert papers >= 6
    assert len(units) == papers * 3 * 3 * 4  # models, replicates, a game and three judgings
    assert set(units.status) == {"ok"}
    assert len(bench.table("turns", *WHOLE)) == papers * 9 * 100
    assert len(bench.table("cards", *WHOLE)) == papers * 9 * 11
    ratings = bench.table("ratings", *WHOLE)
    means = ratings[ratings.t == 100].groupby("model").score.mean()
    assert means["novice"] < means["adept"] < means["master"]
    gain = ratings.groupby(["model", "t"]).score.mean().unstack()
    assert (gain[100] > gain[0]).all()
    leniency = ratings.groupby("judge").score.mean()
    assert leniency["strict"] < leniency["fair"] < leniency["lenient"]


def test_another_seed_gives_another_world(bench: Bench, another: Bench) -> None:
    bench.run(*SMALL)
    another.run(*SMALL, "seed=1")
    one, two = bench.table("turns", *SMALL), another.table("turns", *SMALL, "seed=1")
    assert (one.question != two.question).mean() > 0.5


def test_the_same_command_again_plays_nothing_and_starts_nothing(bench: Bench) -> None:
    assert bench.run(*SMALL) == 0
    tables = {path: path.stat().st_mtime_ns for path in (bench.folder(*SMALL) / "tables").iterdir()}
    overrides = [one for one in bench.overrides(*SMALL) if not one.startswith("cluster=")]
    code = (
        "import sys; from pipelines.cli import main; code = main(['run', *sys.argv[1:]]); "
        "sys.exit(code or sum(name in sys.modules for name in ('ray', 'litellm')))"
    )
    done = subprocess.run([sys.executable, "-c", code, *overrides], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "nothing to play" in done.stdout
    assert len(bench.writers()) == 1
    assert tables == {path: path.stat().st_mtime_ns for path in tables}


def test_one_persona_more_is_all_that_is_played(bench: Bench) -> None:
    bench.run(*SMALL)
    more = (*SMALL, "inquisitors=[novice,adept,master,information]")
    assert bench.run(*more) == 0
    played = bench.played(bench.writers()[-1])
    assert len(played) == 2 * 2 * 4
    assert all("/information/" in unit for unit in played)
    assert bench.table("units", *more).model.nunique() == 4
    assert bench.table("units", *SMALL).model.nunique() == 3


def test_one_judge_more_touches_no_game(bench: Bench) -> None:
    bench.run(*SMALL, "judges=[fair]")
    bench.run(*SMALL, "judges=[fair,strict]")
    assert {unit.split("/")[0] + unit.split("/")[-2] for unit in bench.played(bench.writers()[-1])} == {"judgingstrict"}


def test_only_picks_a_part_and_the_tables_hold_the_whole_run(bench: Bench) -> None:
    assert bench.run(*SMALL, "only.model=adept", "only.replicate=1") == 0
    units = bench.table("units", *SMALL)
    done = units[units.status == "ok"]
    assert set(done.model) == {"adept"}
    assert set(done.replicate) == {1}
    assert len(done) == 2 * 4
    assert (units.status == "pending").sum() == len(units) - len(done)
    assert bench.run(*SMALL) == 0
    assert set(bench.table("units", *SMALL).status) == {"ok"}


def test_force_plays_that_unit_again_and_no_other(bench: Bench) -> None:
    bench.run(*SMALL)
    before = bench.table("units", *SMALL).set_index("unit").finished_at
    paper = before.index[0].split("/")[1]
    only = (f"only.paper={paper}", "only.replicate=0", "only.model=novice")
    assert bench.run(*SMALL, *only, "force=true") == 0
    after = bench.table("units", *SMALL).set_index("unit").finished_at
    again = [unit for unit in before.index if after[unit] > before[unit]]
    assert sorted(again) == sorted(bench.played(bench.writers()[-1]))
    assert {unit.split("/")[1:5:1][0] for unit in again} == {paper}
    assert {tuple(unit.split("/")[2:5]) for unit in again} == {("novice", "none", "r0")}
    assert len(again) == 4


def test_judging_later_and_with_another_panel(bench: Bench) -> None:
    games = (*SMALL, "judging=false")
    assert bench.run(*games) == 0
    assert len(bench.table("ratings", *games)) == 0
    judge = ("experiment=judge", "cast=scripted", f"from=[{bench.folder(*games)}]")
    assert bench.run(*judge, "judges=[fair]") == 0
    assert bench.run(*judge, "judges=[fair,strict]") == 0
    ratings = bench.table("ratings", *judge, "judges=[fair,strict]")
    assert set(ratings.judge) == {"fair", "strict"}
    assert len(ratings) == 2 * 2 * 3 * 2 * 2  # papers, replicates, models, cards, judges
    assert {unit.split("/")[-2] for unit in bench.played(bench.writers()[-1])} == {"strict"}
    assert len(bench.table("cards", *judge, "judges=[fair,strict]")) == 2 * 2 * 3 * 2


def test_a_game_rates_alike_at_once_and_later(bench: Bench, another: Bench) -> None:
    bench.run(*SMALL)
    another.run(*SMALL, "judging=false")
    judge = ("experiment=judge", "cast=scripted", f"from=[{another.folder(*SMALL, 'judging=false')}]")
    another.run(*judge)
    keys = ["game", "t", "judge"]
    one = bench.table("ratings", *SMALL).sort_values(keys, ignore_index=True)
    two = another.table("ratings", *judge).sort_values(keys, ignore_index=True)
    assert one.equals(two)


def test_a_sweep_is_one_queue_with_a_folder_a_job(bench: Bench) -> None:
    common = ("cast=scripted", "replicates=1", "papers=1")
    assert main(["run", "-m", *bench.overrides(*common, "questions=2,3", "condition=none,full")]) == 0
    assert len(bench.writers()) == 1
    for questions in (2, 3):
        for condition in ("none", "full"):
            units = bench.table("units", *common, f"questions={questions}", f"condition={condition}")
            assert set(units.status) == {"ok"}
            assert set(units.condition) == {condition}


def test_the_survey_changes_the_game_and_not_its_first_card(bench: Bench) -> None:
    both = ("cast=scripted", "replicates=1", "questions=30", "condition=[none,full]", "inquisitors=[information]")
    bench.run(*both)
    cards = bench.table("cards", *both)
    first = cards[cards.t == 0].pivot(index="paper", columns="condition", values="contribution")
    assert (first["none"] == first["full"]).all()
    ratings = bench.table("ratings", *both)
    means = ratings[ratings.t == 30].groupby("condition").score.mean()
    assert means["full"] > means["none"] + 2


def test_a_changed_paper_is_another_game_and_is_refused_for_judging(bench: Bench, papers_copy: Path) -> None:
    mine = (
        *SMALL,
        "papers=[batch-normalization]",
        f"papers_dir={papers_copy}/papers",
        f"surveys_dir={papers_copy}/surveys",
    )
    bench.run(*mine)
    before = set(bench.table("units", *mine).unit)
    path = papers_copy / "papers" / "batch-normalization.md"
    path.write_text(path.read_text() + "\nOne sentence more.\n")
    judge = ("experiment=judge", "cast=scripted", f"from=[{bench.folder(*mine)}]")
    assert bench.run(*judge) == 2
    bench.run(*mine)
    assert before.isdisjoint(bench.table("units", *mine).unit)


@pytest.mark.parametrize("way", ["judging", "show"])
def test_show_prints_a_game_from_any_of_its_units(bench: Bench, capsys: pytest.CaptureFixture[str], way: str) -> None:
    bench.run(*SMALL)
    units = bench.table("units", *SMALL)
    unit = units[units.kind == "judging"].unit.iloc[0] if way == "judging" else units.game.iloc[0].rsplit("/", 1)[1]
    question = bench.table("turns", *SMALL).question.iloc[0]
    capsys.readouterr()
    assert main(["show", unit, "--store", str(bench.outputs / "store")]) == 0
    said = capsys.readouterr().out
    assert question in said
    assert "fair: " in said
    assert "card at 5" in said
