"""Whole executions in containers: C, C++ and Rust, right and wrong, and what the row then says."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from solvers.containers.engine import Engine
from solvers.measuring.anchors import baseline, reference
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.measuring.score import End
from solvers.tasks.task import Task, read_task
from solvers.workspace.solution import Refused, Solution

HONEST = b'#include "twice.h"\nvoid twice(uint64_t *x, size_t n) { for (size_t i = 0; i < n; i++) x[i] *= 2; }\n'
EvaluatorOf = Callable[..., Evaluator]


def c(text: str) -> Solution:
    return Solution(files={"twice.c": text.encode()})


def test_a_right_solution_has_a_whole_row(evaluator_of: EvaluatorOf, toy: Task) -> None:
    solution = c(HONEST.decode())
    score = evaluator_of(toy).evaluate(solution, seed="ab" * 32)
    assert (score.end, score.correct, score.why, score.log) == (End.RIGHT, True, None, None)
    assert (score.task, score.task_digest, score.solution) == ("twice", toy.digest(), solution.hash)
    kinds = [section.kind for section in score.sections]
    assert kinds[:3] == ["edge", "warm-up", "warm-up"]
    assert len(score.samples) == kinds.count("timed") >= 7
    assert all(section.seconds >= section.cpu * 0.99 for section in score.sections if section.kind == "timed")
    assert score.metric == sorted(score.samples)[len(score.samples) // 2]
    assert score.object is not None
    assert score.core is not None
    again = evaluator_of(toy).evaluate(solution, seed="ab" * 32)
    assert (again.object, again.seed) == (score.object, score.seed)  # the same sources give the same object
    assert [s.seed for s in again.sections[:3]] == [s.seed for s in score.sections[:3]]
    assert evaluator_of(toy).evaluate(solution).seed != score.seed


def test_a_machine_that_cannot_cage_is_no_fault_of_the_solution(
    engine: Engine, cores: Cores, toy: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Evaluator(engine, toy, "tiny", cores) as evaluator:
        keeper = evaluator.keeper.warm
        keeper.cell = keeper.cell.model_copy(update={"capabilities": ("KILL",)})
        score = evaluator.evaluate(reference(toy))
        assert score.end is End.ENGINE
        assert "no child could be caged here" in (score.why or "")
        assert "Operation not permitted" in (score.why or "")
    monkeypatch.setattr("solvers.measuring.timekeeper.boot_id", lambda: "another")
    with Evaluator(engine, toy, "tiny", cores) as evaluator:
        assert "runs on another machine" in (evaluator.evaluate(reference(toy)).why or "")


def test_nothing_of_a_wrong_solution_stays(engine: Engine, cores: Cores, toy: Task) -> None:
    with Evaluator(engine, toy, "tiny", cores) as evaluator:
        assert evaluator.evaluate(c('#include "twice.h"\nvoid twice(uint64_t *x, size_t n) {}')).end is End.WRONG
        top = engine.client.api.top(evaluator.keeper.warm.container().id)
        assert ["caged" in row[-1] for row in top["Processes"]] == [False, False]  # init and the timekeeper


def test_the_anchors_are_right_and_in_order(evaluator_of: EvaluatorOf, toy: Task) -> None:
    below, above = (evaluator_of(toy).evaluate(of(toy)) for of in (baseline, reference))
    assert below.metric is not None
    assert above.metric is not None
    assert below.metric > above.metric


@pytest.mark.parametrize(
    ("solution", "end", "why"),
    [
        (c("void twice("), End.REJECTED, "error:"),
        (c("int twice;"), End.CRASH, "signal 11 in edge case"),
        (c("int thrice;"), End.LOAD, "no function twice"),
        (c("void missing(void); void twice(void) { missing(); }"), End.LOAD, "undefined symbol: missing"),
        (c('#include "twice.h"\nvoid twice(uint64_t *x, size_t n) {}'), End.WRONG, "edge case 1: a number was not"),
        (c("#include <stdlib.h>\nvoid twice(void) { abort(); }"), End.CRASH, "signal 6"),
        (c('#include <assert.h>\nvoid twice(void) { assert(!"reached"); }'), End.CRASH, "reached"),
        (Solution(files={"twice.c": HONEST, "twice.h": b"#include <stdint.h>"}), End.PROTECTED, "twice.h belongs"),
        (Refused("a.c: a symbolic link, not a regular file"), End.REFUSED, "a symbolic link"),
    ],
)
def test_what_does_not_work_is_told(
    evaluator_of: EvaluatorOf, toy: Task, solution: Solution | Refused, end: End, why: str
) -> None:
    score = evaluator_of(toy).evaluate(solution)
    assert (score.end, score.correct, score.metric) == (end, False, None)
    assert why in (score.why or "")


def test_several_files_and_warnings(evaluator_of: EvaluatorOf, toy: Task) -> None:
    files = {
        "twice.c": b'#include "twice.h"\n#include "lib/one.h"\n'
        b"void twice(uint64_t *x, size_t n) { int unused; for (size_t i = 0; i < n; i++) x[i] = one(x[i]); }\n",
        "lib/one.h": b"#include <stdint.h>\nuint64_t one(uint64_t x);\n",
        "lib/one.c": b'#include "one.h"\nuint64_t one(uint64_t x) { return x + x; }\n',
        "notes.md": b"what is not C is left alone",
    }
    score = evaluator_of(toy).evaluate(Solution(files=files))
    assert score.end is End.RIGHT
    assert "unused variable" in (score.log or "")


def translated(toy: Task, folder: Path, language: str, packages: str, files: dict[str, str]) -> Task:
    """The toy in another language; ``files`` of environment/, the first of them the source to edit."""
    shutil.copytree(toy.folder, folder)
    for name in ("twice.c", "twice.h"):
        (folder / "environment" / name).unlink()
    (folder / "solution" / "twice.c").unlink()
    for name, text in files.items():
        (folder / "environment" / name).write_text(text)
    source, *protected = files
    (folder / "solution" / source).write_text(files[source])
    dockerfile = folder / "environment" / "Dockerfile"
    dockerfile.write_text(dockerfile.read_text().replace("gcc libc6-dev make", packages))
    toml = (folder / "task.toml").read_text().replace('language = "c"', f'language = "{language}"')
    toml = toml.replace('sources = ["twice.c"]', f'sources = ["{source}"]')
    (folder / "task.toml").write_text(toml.replace('protected = ["twice.h"]', f"protected = {list(protected)}"))
    return read_task(folder)


def test_cpp(evaluator_of: EvaluatorOf, toy: Task, tmp_path: Path) -> None:
    source = """#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>
extern "C" void twice(std::uint64_t *x, std::size_t n)
{
    std::vector<std::uint64_t> copy(x, x + n);
    try { if (n == 3) throw std::runtime_error("three"); } catch (const std::exception &) { }
    std::transform(copy.begin(), copy.end(), x, [](auto value) { return value * 2; });
}
"""
    task = translated(toy, tmp_path / "twice", "c++", "g++ libc6-dev make", {"twice.cpp": source})
    score = evaluator_of(task).evaluate(reference(task))
    assert (score.end, score.why) == (End.RIGHT, None)


RUST = {
    "twice.rs": "pub fn twice(x: &mut [u64]) { for v in x { *v = v.wrapping_mul(2); } }\n",
    "lib.rs": """mod twice;
/// # Safety
/// `numbers` points to `count` numbers.
#[no_mangle]
pub unsafe extern "C" fn twice(numbers: *mut u64, count: usize) {
    twice::twice(std::slice::from_raw_parts_mut(numbers, count))
}
""",
}


def test_rust(engine: Engine, evaluator_of: EvaluatorOf, toy: Task, tmp_path: Path) -> None:
    task = translated(toy, tmp_path / "twice", "rust", "rustc-web gcc libc6-dev", RUST)
    evaluator = evaluator_of(task)
    score = evaluator.evaluate(reference(task))
    assert (score.end, score.why, score.log) == (End.RIGHT, None, None)
    panics = Solution(files={"twice.rs": b'pub fn twice(_: &mut [u64]) { panic!("so it is") }'})
    assert (found := evaluator.evaluate(panics)).end is End.CRASH
    assert "so it is" in (found.why or "")
    assert evaluator.evaluate(Solution(files={"twice.rs": b"pub fn twice("})).end is End.REJECTED
    threads = Solution(files={"twice.rs": b"pub fn twice(_: &mut [u64]) { std::thread::spawn(|| ()).join().unwrap() }"})
    assert evaluator.evaluate(threads).end is End.FORBIDDEN
    peeks = Solution(files={"twice.rs": b'pub fn twice(_: &mut [u64]) { include!("/source/verifier.rs") }'})
    assert evaluator.evaluate(peeks).end is End.REJECTED
