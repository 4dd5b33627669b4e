"""The solver without a model: which choice an idea means, and where coordinate search over it ends."""

from collections.abc import Callable
from pathlib import Path

import pytest
from workbenches import FakeBench, failed, idea, scored

from actors.errors import UnitFault
from solvers.agents.catalog import CatalogSettings, CatalogSolver, mentioned
from solvers.agents.solver import Hint, Known
from solvers.measuring.score import End, Score
from solvers.tasks.catalog import Catalog
from solvers.tasks.task import Description, Task, find_task
from solvers.tasks.technique import Choice
from solvers.workspace.solution import Solution

CATALOG = """\
[[technique]]
id = "tile"
about = "work in blocks"
excludes = ["stream"]
[technique.parameters.size]
values = [1, 2, 3, 4, 5, 6]
default = 2

[[technique]]
id = "query_tile"
about = "more blocks"
needs = ["tile"]
[technique.parameters.groups]
values = [2, 4, 8]
default = 2
[technique.parameters.order]
values = ["a", "b", "c", "d"]
default = "a"

[[technique]]
id = "stream"
about = "past the cache"

[[technique]]
id = "unroll"
about = "the loop"
"""
TEMPLATE = """\
{% if tile %}{{ tile.size }}{% endif %}
{% if query_tile %}{{ query_tile.groups }} {{ query_tile.order }}{% endif %}
{{ 1 if stream else 0 }} {{ 1 if unroll else 0 }}
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "catalog.toml").write_text(CATALOG)
    (tmp_path / "catalog" / "code.c.j2").write_text(TEMPLATE)
    return Task(tmp_path, Description())


def over(worth: Callable[[Choice], float | None]) -> Callable[[Solution, str], Score]:
    """A landscape by the choice; None is wrong."""

    def measure(_: Solution, choice: str) -> Score:
        found = worth(Choice.model_validate_json(choice))
        return failed(End.WRONG) if found is None else scored(found)

    return measure


def separable(choice: Choice) -> float:
    """Best at size 5, groups 8, and order c, beyond a worse one: no step leads there."""
    at = choice.techniques
    order = {"a": 0.2, "b": 0.0, "c": 0.4, "d": 0.1}[str(at["query_tile"]["order"])]
    return 0.4 - 0.05 * abs(int(at["tile"]["size"]) - 5) + order + 0.01 * int(at["query_tile"]["groups"])


async def solved(bench: FakeBench, **settings: bool) -> list[str]:
    await CatalogSolver(CatalogSettings(**settings)).solve(bench)
    labels = [choice.label for choice in bench.choices]
    assert len(set(labels)) == len(labels) == bench.measured
    return labels


async def test_the_optimum_of_a_separable_landscape_is_found(task: Task) -> None:
    bench = FakeBench(task, idea("blocks", "query_tile"), over(separable), executions=11)  # 1 + 5 + 2 + 3
    labels = await solved(bench)
    assert labels[0] == "tile size=2 + query_tile groups=2 order='a'"
    assert bench.best
    assert bench.best.about == "tile size=5 + query_tile groups=8 order='c'"
    assert await solved(FakeBench(task, idea("blocks", "query_tile"), over(separable), executions=11)) == labels
    assert len(labels) == 11


async def test_a_gain_is_followed_in_its_direction(task: Task) -> None:
    bench = FakeBench(task, idea("t", "tile"), over(lambda choice: int(choice.techniques["tile"]["size"]) / 10))
    labels = await solved(bench)
    assert [label[-1] for label in labels] == ["2", "1", "3", "4", "5", "6"]


async def test_pairs_come_last_and_then_it_stops(task: Task) -> None:
    def ridge(choice: Choice) -> float:
        query = choice.techniques["query_tile"]
        return 0.9 if (query["groups"], query["order"]) == (4, "b") else 0.1

    labels = await solved(FakeBench(task, idea("b", "query_tile"), over(ridge), executions=100))
    single = await solved(FakeBench(task, idea("b", "query_tile"), over(ridge), executions=100), pairs=False)
    assert labels[:11] == single
    assert len(single) == 1 + 5 + 2 + 3
    assert any(label.endswith("groups=4 order='b'") for label in labels[11:])
    assert len(labels) < 6 * 3 * 4


async def test_a_wrong_start_is_left_for_what_is_right(task: Task) -> None:
    def worth(choice: Choice) -> float | None:
        size = int(choice.techniques["tile"]["size"])
        return None if size < 3 else 0.1 * size

    bench = FakeBench(task, idea("t", "tile"), over(worth), executions=4)
    assert [label[-1] for label in await solved(bench)] == ["2", "1", "3", "4"]
    assert [row.correct for row in bench.executions] == [False, False, True, True]


async def test_what_scores_nothing_yet_is_told_apart_by_its_metric(task: Task) -> None:
    (task.folder / "catalog" / "code.c.j2").write_text("{{ tile.size if tile else 0 }}")

    def slow(_: Solution, choice: str) -> Score:
        size = int(Choice.model_validate_json(choice).techniques["tile"]["size"])
        return scored(0.0).model_copy(update={"metric": 10.0 + size})

    bench = FakeBench(Task(task.folder, Description()), idea("t", "tile"), slow)  # a reward: more is better
    assert [label[-1] for label in await solved(bench)] == ["2", "1", "3", "4", "5", "6"]


async def test_what_an_idea_names_is_made_legal_and_said(task: Task) -> None:
    bench = FakeBench(task, idea("t", "unrol", "stream", "query-tile", "magic"), over(lambda _: 0.5), executions=1)
    assert await solved(bench) == ["stream + unroll"]
    assert bench.executions[0].about == "stream + unroll; left out: query_tile (it excludes stream); unknown: magic"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Query tiling, with unrolled loops", ["query_tile", "unroll"]),
        ("Unrolling and tiles", ["unroll", "tile"]),
        ("streams: query. Tile by tile", ["stream", "tile"]),
        ("a quiet idea", []),
    ],
)
def test_techniques_are_found_in_text(text: str, found: list[str]) -> None:
    assert mentioned(text, ["tile", "query_tile", "stream", "unroll"]) == found


async def test_an_idea_without_techniques_is_read_and_so_is_an_instruction(task: Task) -> None:
    read = idea("Work in tiles", abstract="Also unroll the loop.")
    assert await solved(FakeBench(task, read, over(lambda _: 0.5), executions=1)) == ["tile size=2 + unroll"]
    told = FakeBench(task, "Try streaming.", over(lambda _: 0.5), executions=1)
    assert await solved(told) == ["stream"]


async def test_a_child_begins_with_its_parents_values(task: Task) -> None:
    parent = Choice(techniques={"tile": {"size": 6}, "unroll": {}}).model_dump_json()
    hint = Hint(parent_choice=parent)
    child = FakeBench(task, idea("c", "query_tile"), over(lambda _: 0.5), executions=1, hint=hint)
    assert await solved(child) == ["tile size=6 + query_tile groups=2 order='a'"]
    silent = FakeBench(task, "Make it faster.", over(lambda _: 0.5), executions=1, hint=hint)
    assert await solved(silent) == ["tile size=6 + unroll"]


async def test_nothing_named_and_no_catalogue_are_faults(task: Task, tmp_path: Path) -> None:
    with pytest.raises(UnitFault, match=r"idea i001 names no technique of .*name one of: tile, query_tile"):
        await CatalogSolver(CatalogSettings()).solve(FakeBench(task, idea("quiet"), over(lambda _: 0.5)))
    bare = Task(tmp_path / "bare", Description())
    with pytest.raises(UnitFault, match=r"the catalog solver has nothing to build: .*No such file"):
        await CatalogSolver(CatalogSettings()).solve(FakeBench(bare, idea("t", "tile"), over(lambda _: 0.5)))


async def test_code_that_was_measured_is_not_measured_as_another_choice(task: Task) -> None:
    (task.folder / "catalog" / "code.c.j2").write_text("{{ tile.size // 3 if tile else 0 }}")
    bench = FakeBench(task, idea("t", "tile"), over(lambda choice: int(choice.techniques["tile"]["size"]) / 10))
    assert [label[-1] for label in await solved(bench)] == ["2", "3", "6"]


async def test_a_choice_that_cannot_be_rendered_costs_nothing(task: Task) -> None:
    (task.folder / "catalog" / "code.c.j2").write_text("{{ 60 // (tile.size - 2) if tile else 0 }}")
    bench = FakeBench(task, idea("t", "tile"), over(lambda _: 0.5))
    assert [label[-1] for label in await solved(bench)] == ["1", "3", "4", "5", "6"]
    (task.folder / "catalog" / "code.c.j2").write_text("{{ 1 // 0 }}")
    with pytest.raises(UnitFault, match="cannot be rendered"):
        await CatalogSolver(CatalogSettings()).solve(FakeBench(task, idea("t", "tile"), over(lambda _: 0.5)))


def known(*benches: FakeBench) -> dict[str, Known]:
    """What the branches have measured, as the next one is told."""
    rows = [pair for bench in benches for pair in zip(bench.executions, bench.choices, strict=True)]
    return {
        str(row.solution): Known(
            correct=row.correct, score=row.score, metric=row.metric, choice=choice.model_dump_json()
        )
        for row, choice in rows
    }


def later(task: Task, benches: list[FakeBench], executions: int, share: tuple[int, int] = (0, 1)) -> FakeBench:
    """The next branch with the same idea, which begins with the best choice so far."""
    tried = [(bench.executions[n].score, choice) for bench in benches for n, choice in enumerate(bench.choices)]
    best = max(tried, key=lambda one: one[0] or 0.0, default=None)
    parent = best[1].model_dump_json() if best else ""
    hint = Hint(measured=known(*benches), parent_choice=parent, share=share)
    return FakeBench(task, idea("blocks", "query_tile"), over(separable), executions, hint=hint)


async def test_a_version_goes_on_where_the_earlier_one_ended_until_nothing_is_left(task: Task) -> None:
    benches: list[FakeBench] = []
    while not benches or benches[-1].executions:
        benches.append(later(task, benches, executions=4))
        await solved(benches[-1])
    measured = [row.solution for bench in benches for row in bench.executions]
    assert len(set(measured)) == len(measured) > 11
    best = max((bench.best for bench in benches if bench.best), key=lambda row: row.score or 0.0)
    assert best.about == "tile size=5 + query_tile groups=8 order='c'"
    assert benches[2].best == best, "the optimum takes 11 executions, as in one branch"
    assert benches[-1].left == 4


async def test_what_was_measured_before_costs_nothing_and_is_walked_over(task: Task) -> None:
    whole = FakeBench(task, idea("t", "tile"), over(lambda choice: int(choice.techniques["tile"]["size"]) / 10))
    assert [label[-1] for label in await solved(whole)] == ["2", "1", "3", "4", "5", "6"]
    told = dict(list(known(whole).items())[:3])  # of 2, 1 and 3
    rest = FakeBench(
        task, idea("t", "tile"), over(lambda choice: int(choice.techniques["tile"]["size"]) / 10),
        hint=Hint(measured=told),
    )  # fmt: skip
    assert [label[-1] for label in await solved(rest)] == ["4", "5", "6"]


async def test_branches_with_the_same_work_at_once_measure_different_code(task: Task) -> None:
    first = later(task, [], executions=1)
    await solved(first)
    beside = [later(task, [first], executions=6, share=(own, 3)) for own in range(3)]
    for bench in beside:
        await solved(bench)
        assert bench.executions
    measured = [row.solution for bench in (first, *beside) for row in bench.executions]
    assert len(set(measured)) == len(measured)


@pytest.mark.parametrize("name", ["radix_sort", "flash_attention"])
async def test_the_shipped_catalogues_can_be_walked(name: str) -> None:
    shipped = find_task(name)
    every = idea("everything", *Catalog(shipped.catalog).techniques)
    bench = FakeBench(shipped, every, lambda *_: scored(0.5), executions=40)
    await solved(bench)
    sources = {bench.solution(row.solution or "").files[shipped.measure.sources[0]] for row in bench.executions}
    assert len(sources) == len(bench.executions) == 40  # no code twice, though some choices render alike
