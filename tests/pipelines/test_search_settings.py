"""Settings of the idea search beside the game's: what composes, what is refused, what makes another search."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml
from conftest import Bench

from actors.errors import BadInput
from pipelines.cli import main
from pipelines.config import settings
from pipelines.plan import plan
from pipelines.search_settings import SearchSettings, contents
from pipelines.work import prepare_folder, read_settings
from solvers.tasks.task import find_task

Refusal = Callable[[Sequence[str]], str]
SEARCH = ("experiment=idea_search", "cast=scripted")


def search(bench: Bench, *more: str) -> SearchSettings:
    found = settings(bench.overrides(*SEARCH, *more))
    assert isinstance(found, SearchSettings)
    return found


def unit(bench: Bench, *more: str) -> str:
    return plan(search(bench, *more)).units[0].id


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task that a test may spoil."""
    return Path(shutil.copytree(find_task("radix_sort").folder, tmp_path / "my task"))


def test_a_task_brings_the_papers_budget(bench: Bench) -> None:
    found = search(bench)
    assert (found.budget.executions, found.branches, found.iterations, found.clock_hours) == (300, 5, 5, 6)
    assert (found.shares.each, found.shares.left_over) == (12, 0)
    assert (found.task.name, found.task.profile, found.task.path) == ("radix_sort", "full", None)
    assert found.task.digest == contents(find_task("radix_sort"))
    assert (found.policy.name, found.solver.kind, found.replicates, found.audit) == ("aim", "catalog", 1, "enforce")
    assert (found.manager, found.codes, found.seated) == ("manager", None, ["manager"])
    other = search(bench, "task=flash_attention", "task.profile=small", "budget.executions=60", "policy=best_of_n")
    assert (other.task.name, other.task.profile, other.budget.executions) == ("flash_attention", "small", 60)
    assert other.policy.name == "best_of_n"


def test_a_coder_has_a_seat_only_where_the_solver_asks_one(bench: Bench) -> None:
    cast = ("cast=endpoint", "models.endpoint.model=openai/x", "models.endpoint.api_base=http://h/v1", "coder=smollm2")
    assert search(bench, *cast).seated == ["endpoint"]
    assert search(bench, *cast, "solver=llm").seated == ["endpoint", "smollm2"]


def test_a_folder_is_a_task(bench: Bench, task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(task.parent)
    for given in (f"task='{task}'", "task='./my task'"):
        found = search(bench, given, "task.profile=small")
        assert (found.task.name, found.task.path, found.task.profile) == ("my-task", task, "small")
        assert (found.budget.executions, found.branches) == (300, 5)
    assert "/my-task/aim/catalog/manager/r0/" in unit(bench, "task='./my task'")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (["questions=5"], "questions: is a key of the questioning game, and this is experiment=idea_search"),
        (["+questions=5"], "questions: unknown key"),
        (["strategy=plain"], "strategy: is a key of the questioning game"),
        (["task=sorting"], "unknown task 'sorting'"),
        (["task=./sorting"], "task=./sorting: no such folder; give a task's folder, or one of flash_attention"),
        (["task=folder"], "task.path: must be set"),
        (["task.profile=tiny"], "unknown profile 'tiny' (known: full, small)"),
        (["policy=greedy"], "unknown policy 'greedy'"),
        (["solver=magic"], "unknown solver 'magic'"),
        (["solver=llm"], "coder: solver=llm needs a model that writes code; set coder=, or solver=catalog"),
        (["brnches=3"], "did you mean 'branches'?"),
        (["budget.executions=24"], "budget.executions=24: fewer than branches=5 x iterations=5"),
        (["budget.executions=0"], "budget.executions: Input should be greater than or equal to 1"),
        (["budget.executions=null"], "budget.executions: must be set"),
        (["clock_hours=0"], "clock_hours: Input should be greater than 0"),
        (["branch_minutes=-1"], "branch_minutes: Input should be greater than 0"),
        (["manager=nobody"], "unknown model 'nobody'"),
        (["manager=oracle"], "manager: 'oracle' plays the game by rule, and manages no search"),
        (["solver=llm", "coder=manager"], "coder: 'manager' is a rule, and writes no code"),
        (["branches=true"], "branches: Input should be a valid integer"),
        (["policy=null"], "override: Config group override"),
        (["outputs="], "outputs: must name a folder"),
        (["manager=null"], "manager: Input should be a valid string"),
        (["only.replicate=1"], "only.replicate=1: the run has no such replicate (it has 0)"),
        (["only.paper=x"], "only.paper=x: the run has no such paper (it has none)"),
        (["+task.digest=abc"], "task.digest=abc: "),
    ],
)
def test_a_wrong_word_is_named(bench: Bench, refusal: Refusal, overrides: list[str], says: str) -> None:
    with pytest.raises(BadInput) as refused:
        plan(search(bench, *overrides))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("given", ["task=radix_sort", "policy=aim", "clock_hours=2", "manager=manager"])
def test_the_game_takes_no_word_about_searches(bench: Bench, given: str) -> None:
    with pytest.raises(BadInput, match="is a key of the idea search, and this is experiment=game; drop it"):
        settings(bench.overrides("cast=scripted", given))
    with pytest.raises(BadInput, match=r"budget\.executions: a game has none"):
        settings(bench.overrides("cast=scripted", "budget.executions=5"))


def test_tasks_that_no_branch_can_work_on_are_refused(bench: Bench, task: Path) -> None:
    path = task / "task.toml"
    text = path.read_text()
    path.write_text(text.replace("gpus = 0", "gpus = 2"))
    with pytest.raises(BadInput, match="asks for gpus = 2, which no branch has yet"):
        plan(search(bench, f"task='{task}'"))
    path.write_text(text)
    shutil.rmtree(task / "catalog")
    with pytest.raises(BadInput, match=r"solver=catalog: .* has no catalog/; write one"):
        plan(search(bench, f"task='{task}'"))
    path.write_text(text[: text.index("[measure]")].replace('"seconds"', '"reward"'))
    (task / "tests" / "test.sh").write_text("true\n")
    with pytest.raises(BadInput, match="has a verifier of its own; choose solver=llm or command"):
        plan(search(bench, f"task='{task}'"))
    llm = ("solver=llm", "coder=smollm2", f"task='{task}'")
    assert len(plan(search(bench, *llm)).units) == 1
    with pytest.raises(BadInput, match=r"task\.profile=small: .* has one size alone"):
        plan(search(bench, *llm, "task.profile=small"))


@pytest.mark.parametrize(
    "given",
    [
        *("task.profile=small", "budget.executions=100", "branches=4", "iterations=4", "clock_hours=5", "seed=1"),
        *("branch_minutes=5", "audit=false", "audit=skip", "policy=best_of_n", "policy.ideas=5", "solver.pairs=false"),
        *("models.manager.max_tokens=99", "manager=smollm2", "task=flash_attention"),
    ],
)
def test_what_is_played_makes_another_search(bench: Bench, given: str) -> None:
    assert unit(bench, given).rsplit("/", 1)[1] != unit(bench).rsplit("/", 1)[1]
    assert search(bench, given).digest != search(bench).digest


@pytest.mark.parametrize(("said", "meant"), [("true", "enforce"), ("false", "record"), ("skip", "skip")])
def test_audits_that_are_off_are_the_papers_ablation(bench: Bench, said: str, meant: str) -> None:
    assert search(bench, f"audit={said}").audit == meant
    assert unit(bench, f"audit={said}") == unit(bench, f"audit={meant}")
    with pytest.raises(BadInput, match="audit: "):
        search(bench, "audit=never")


@pytest.mark.parametrize(
    "given",
    [
        *("budget.calls=5", "budget.hours=1", "cluster.in_flight=3", "force=true", "fail_over=2", "coder=smollm2"),
        *("only.replicate=0", "models.manager.in_flight=2", "cluster.needs.branch={CPU: 1}", "run.dir=/tmp/never"),
    ],
)
def test_where_and_how_fast_it_is_played_does_not(bench: Bench, given: str) -> None:
    assert unit(bench, given) == unit(bench)
    assert search(bench, given).digest == search(bench).digest


def test_the_tasks_content_counts_and_its_folder_does_not(bench: Bench, task: Path) -> None:
    moved = task.parent / "elsewhere" / "my task"
    shutil.copytree(task, moved)
    same = unit(bench, f"task='{task}'")
    assert unit(bench, f"task='{moved}'") == same
    for name in ("brief.md", "catalog/catalog.toml", "environment/radix_sort.c"):
        path = moved / name
        path.write_text(path.read_text() + "\n")
        assert unit(bench, f"task='{moved}'") != same
        shutil.copy(task / name, path)


def test_units_are_the_replicates(bench: Bench) -> None:
    work = plan(search(bench, "replicates=3", "only.replicate=[0,2]"))
    assert [one.id.rsplit("/", 1)[0] for one in work.units] == [
        f"search/radix_sort/aim/catalog/manager/r{number}" for number in range(3)
    ]
    assert [one.chosen(work.settings.only) for one in work.units] == [True, False, True]
    assert work.units[0].id == unit(bench), "more replicates play the first ones no second time"
    assert work.task is not None
    assert {"task.toml", "brief.md", "catalog/catalog.toml"} <= set(work.task.files)


def test_a_run_folder_says_what_was_played_even_where_the_task_is_another_by_now(bench: Bench, task: Path) -> None:
    work = plan(search(bench, f"task='{task}'"))
    prepare_folder(work)
    manifest = json.loads((work.folder / "manifest.json").read_text())
    assert manifest["task"]["digest"] == find_task("radix_sort").digest()
    assert manifest["task"]["contents"] == contents(find_task("radix_sort"))
    assert "papers" not in manifest
    assert work.folder.name == f"idea_search-{work.settings.digest}"
    shutil.rmtree(task)
    assert read_settings(work.folder) == work.settings
    assert read_settings(work.folder).digest == work.settings.digest


def test_a_file_of_ones_own_that_is_not_yaml_is_named(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "mine.yaml").write_text("name: {aim\n")
    with pytest.raises(BadInput, match=r"config: .*mine\.yaml.*; mend that file"):
        settings([*bench.overrides(*SEARCH), "policy=mine"], tmp_path)


def test_a_judge_run_has_no_use_for_a_search(bench: Bench) -> None:
    work = plan(search(bench))
    prepare_folder(work)
    with pytest.raises(BadInput, match="is an idea search, it has no games"):
        plan(settings(bench.overrides("experiment=judge", "cast=scripted", f"from=[{work.folder}]")))


def test_help_and_cfg_know_both_families(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    said = capsys.readouterr().out
    assert "  experiment: answerer, demo, game, idea_search, judge, mentions, prefix_fork, probe, question_pool" in said
    assert "  task: flash_attention, folder, radix_sort\n" in said
    assert main(["run", "--cfg", "job", "--resolve", *SEARCH, "branches=3"]) == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (shown["branches"], shown["task"]["name"], shown["manager"]) == (3, "radix_sort", "manager")
    assert "questions" not in shown
