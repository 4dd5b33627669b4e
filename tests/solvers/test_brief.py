"""What policies and operators are told of a task: its texts, and which techniques go together."""

from pathlib import Path

from solvers.brief import brief_of
from solvers.tasks.task import read_task

TASKS = Path(__file__).parents[2] / "datasets" / "tasks"


def test_a_brief_says_what_techniques_need_and_exclude_from_either_side() -> None:
    told = brief_of(read_task(TASKS / "flash_attention"), background=True, techniques=True)
    assert told.excludes == {"query_lanes": ("key_lanes",), "key_lanes": ("query_lanes",)}
    assert told.needs["fused_exp"] == ("query_lanes",)
    assert "simd" not in told.needs
    assert dict(told.techniques).keys() >= {*told.needs, *told.excludes}


def test_without_techniques_there_is_nothing_to_combine() -> None:
    told = brief_of(read_task(TASKS / "flash_attention"), background=False, techniques=False)
    assert (told.techniques, told.needs, told.excludes, told.brief) == ((), {}, {}, "")
