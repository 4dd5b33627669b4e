"""Scripted runs through the whole path: equal from one seed, in known order, played once, again only where asked."""

import gc
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench, but_times
from loopback import Loopback

import actors.prompt as prompt_module
from pipelines.cli import main
from pipelines.config import settings
from pipelines.plan import plan

JUDGES = "judges=[lenient,fair,strict]"
TRIO = ("cast=scripted", "inquisitors=[novice,adept,master]", JUDGES)
WHOLE = (*TRIO, "papers=6", "replicates=3", "questions=100")
SMALL = (*TRIO, "replicates=2", "questions=5", "papers=2")


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
    assert papers == 6
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
    games = {tuple(unit.removeprefix("judging/").split("/")[:5]) for unit in again}
    assert games == {("game", paper, "novice", "none", "r0")}
    assert len(again) == 4


def test_judging_later_and_with_another_panel(bench: Bench) -> None:
    games = (*SMALL, "judging=false")
    assert bench.run(*games) == 0
    assert len(bench.table("ratings", *games)) == 0
    judge = ("experiment=judge", "cast=scripted", JUDGES, f"from=[{bench.folder(*games)}]")
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
    judge = ("experiment=judge", "cast=scripted", JUDGES, f"from=[{another.folder(*SMALL, 'judging=false')}]")
    another.run(*judge)
    keys = ["game", "t", "judge"]
    one = bench.table("ratings", *SMALL).sort_values(keys, ignore_index=True)
    two = another.table("ratings", *judge).sort_values(keys, ignore_index=True)
    assert one.equals(two)


def test_a_sweep_is_one_queue_with_a_folder_a_job(bench: Bench) -> None:
    common = (*TRIO, "replicates=1", "papers=1")
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
    judge = ("experiment=judge", "cast=scripted", JUDGES, f"from=[{bench.folder(*mine)}]")
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


def test_a_scripted_player_beside_a_model_does_not_change_the_models_games(bench: Bench) -> None:
    def games_of(*inquisitors: str) -> set[str]:
        read = settings(bench.overrides("cast=embedded", f"inquisitors=[{','.join(inquisitors)}]"))
        return {unit.id for unit in plan(read).units if unit.model == "smollm2"}

    assert games_of("smollm2") == games_of("smollm2", "information")


def test_a_units_identity_holds_what_can_change_it_and_not_where_it_is_served(bench: Bench) -> None:
    def games_of(*overrides: str) -> set[str]:
        return {unit.id for unit in plan(settings(bench.overrides("cast=embedded", *overrides))).units}

    same = games_of()
    for elsewhere in (
        "api_base='http://other:1/v1'",
        "timeout=5",
        "tries=2",
        "in_flight=3",
        "price.input=4",
        "cutoff=2020-01-01",
    ):
        assert games_of(f"models.smollm2.{elsewhere}") == same, elsewhere
    for change in (
        *("models.smollm2.model=openai/other", "models.smollm2.max_tokens=99", "models.smollm2.extra={top_p: 0.9}"),
        *("seed=1", "questions=99", "card_every=5", "strategy=broad_first", "strategy.temperature=0.5"),
    ):
        assert games_of(change).isdisjoint(same), change


def test_tables_follow_the_store_and_the_config_even_where_nothing_is_to_play(bench: Bench) -> None:
    bench.run(*SMALL, "only.replicate=0")
    stale_folder = bench.folder(*SMALL) / "tables"
    before = {path.name: path.read_bytes() for path in stale_folder.iterdir()}
    bench.run(*SMALL)
    for name, content in before.items():  # as if another driver, with an older index, had gathered last
        (stale_folder / name).write_bytes(content)
    assert set(bench.table("units", *SMALL).status) == {"ok", "pending"}
    assert bench.run(*SMALL) == 0
    assert set(bench.table("units", *SMALL).status) == {"ok"}
    assert bench.run(*SMALL, "models.adept.cutoff=2001-01-01") == 0
    units = bench.table("units", *SMALL)
    assert not units[units.model == "adept"].contaminated.any()


def test_a_judge_run_that_cannot_judge_says_so(
    bench: Bench, another: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    games = (*SMALL, "judging=false")
    bench.run(*games, "only.model=adept")
    judge = ("experiment=judge", "cast=scripted", JUDGES, f"from=[{bench.folder(*games)}]")
    assert another.run(*judge) == 2  # another store
    assert f"add store={bench.outputs}/store" in capsys.readouterr().err
    assert bench.run(*judge) == 1
    assert "24 units wait for games that are not finished" in capsys.readouterr().out
    assert bench.run(*judge, "only.model=adept") == 0


def test_prompts_in_tables_are_those_that_were_played(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    games = (*SMALL, "judging=false")
    bench.run(*games)
    played = set(bench.table("turns", *games).prompt)
    monkeypatch.setattr(prompt_module, "FOLDERS", (bench.outputs,))
    for name in ("question", "card", "answer", "rating"):
        (bench.outputs / f"{name}.j2").write_text("another prompt")
    prompt_module.prompt_hash.cache_clear()
    judge = ("experiment=judge", "cast=scripted", JUDGES, f"from=[{bench.folder(*games)}]")
    assert bench.run(*judge) == 0
    prompt_module.prompt_hash.cache_clear()
    assert set(bench.table("turns", *judge).prompt) == played


def test_a_config_dir_of_ones_own_adds_models_and_casts(bench: Bench, tmp_path: Path) -> None:
    for group, name, text in (
        ("model", "mine", "name: mine\nkind: scripted\nfamily: mine\npersona: {knowledge: 1, skill: 1}\n"),
        ("cast", "ours", "inquisitors: [mine]\nanswerer: oracle\njudges: [fair]\n"),
    ):
        (tmp_path / "conf" / group).mkdir(parents=True)
        (tmp_path / "conf" / group / f"{name}.yaml").write_text(text)
    given = bench.overrides("cast=ours", "papers=1", "replicates=1", "questions=2")
    assert main(["run", *given[:2], "--config-dir", str(tmp_path / "conf"), *given[2:]]) == 0
    folder = next(path for path in bench.outputs.iterdir() if path.name.startswith("game-"))
    assert set(pd.read_parquet(folder / "tables" / "units.parquet").model) == {"mine"}


def test_status_of_a_run_from_any_folder(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ("cluster=inprocess", "outputs=here", *SMALL)
    assert main(["run", *given]) == 0
    folder = next(path for path in (tmp_path / "here").iterdir() if path.name.startswith("game-"))
    monkeypatch.chdir("/")
    capsys.readouterr()
    assert main(["status", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["units"] == {
        "game": {"ok": 12, "error": 0, "pending": 0},
        "judging": {"ok": 36, "error": 0, "pending": 0},
    }
    assert found["spend"]["calls"] == 12 * (5 + 5 + 2) + 36 * 2
    assert found["spend"]["prompt_tokens"] is None
    assert found["spend"]["cost"] == 0


def test_two_drivers_at_once_lose_and_spoil_nothing(bench: Bench) -> None:
    command = [sys.executable, "-m", "pipelines.cli", "run", *bench.overrides(*SMALL, "questions=30")]
    drivers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for driver in drivers:
        _, errors = driver.communicate(timeout=120)
        assert driver.returncode == 0, errors
    alone = tuple("questions=30" if one.startswith("questions=") else one for one in SMALL)
    units = bench.table("units", *alone)
    assert set(units.status) == {"ok"}
    assert not units.unit.duplicated().any()
    assert not bench.table("turns", *alone).duplicated(["unit", "t"]).any()


def test_a_game_played_again_is_rated_again_on_its_own_cards(bench: Bench) -> None:
    """A loopback endpoint whose second life answers otherwise: no old rating may stand beside a new card."""
    one = ("cast=endpoint", "models.endpoint.model=openai/x", "papers=1", "replicates=1", "questions=2", "card_every=2")

    def run(server: Loopback, *more: str) -> int:
        before = server.total
        assert bench.run(*one, f"models.endpoint.api_base={server.url}", *more) == 0
        return server.total - before

    with Loopback() as server:
        assert run(server) == 2 + 2 + 2 + 2  # questions, answers, cards, ratings
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("loopback.WORDS", ("other", "words"))
            assert run(server, "judging=false", "force=true") == 6
        assert run(server) == 2
        assert run(server) == 0
    ratings = bench.table("ratings", *one, f"models.endpoint.api_base={server.url}")
    assert len(ratings) == 2


def test_valid_ratings_stay_and_only_what_is_missing_is_asked_again(bench: Bench) -> None:
    one = ("cast=endpoint", "models.endpoint.model=openai/x", "papers=1", "replicates=1", "questions=3", "card_every=1")
    with Loopback() as server:
        given = (*one, f"models.endpoint.api_base={server.url}")
        assert bench.run(*given, "judging=false") == 0
        server.misbehave("rubbish", times=3)  # the first card's three attempts
        assert bench.run(*given) == 1
        ratings = bench.table("ratings", *given)
        assert ratings.score.isna().tolist() == [True, False, False, False]
        before = server.total
        assert bench.run(*given) == 0
        assert server.total - before == 1
        refilled = bench.table("ratings", *given)
        assert refilled.score[1:].tolist() == ratings.score[1:].tolist()
        assert refilled.rationale[1:].tolist() == ratings.rationale[1:].tolist()
        assert refilled.score.notna().all()
        assert bench.table("calls", *given).used.all()


def test_a_full_disk_is_one_line_and_goes_on_when_there_is_room(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    syncs = iter(range(1000))

    def fsync(descriptor: int) -> None:
        if next(syncs) > 5:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("os.fsync", fsync)
        assert bench.run(*SMALL) == 2
    gc.collect()
    said = capsys.readouterr().err
    assert said == "heuresis: No space left on device: the store; make room, then the same command goes on\n"
    assert [record.message for record in caplog.records if "never retrieved" in record.message] == []
    assert bench.run(*SMALL) == 0
    assert set(bench.table("units", *SMALL).status) == {"ok"}
