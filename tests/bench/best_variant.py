"""The best catalogue variant of a task against what a user would pick, on one core, full size, one run.

    python tests/bench/best_variant.py radix_sort|flash_attention [--profile full] [--torch PYTHON]

radix_sort: std::sort, Boost's spreadsort (a published radix sort), Google Highway's vectorised quicksort.
flash_attention: C over OpenBLAS (two sgemm a block of rows, a softmax between), and, where --torch names a Python that
has it, PyTorch's CPU scaled_dot_product_attention on one thread.

All but PyTorch are built with the task's fixed flags and measured by the harness, as any solution is; the environments
of rivals add Debian packages to the task's own. PyTorch is timed in a process of its own on the same core.
times: seconds of each over those of the variant, more than 1 where the variant is faster.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from measure import show

from solvers.containers.engine import Engine
from solvers.measuring.anchors import baseline, reference
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.tasks.catalog import Catalog, Choice
from solvers.tasks.task import Task, find_task, read_task
from solvers.workspace.solution import Solution

HERE = Path(__file__).resolve().parent / "rivals"
Techniques = dict[str, dict[str, Any]]
BEST: dict[str, Techniques] = {  # found by hand and by coordinate search on a Sapphire Rapids core
    "radix_sort": {
        "msd_first": {"bits": 8},
        "digit_width": {"bits": 11},
        "write_combining": {"line": 64},
        "streaming": {"isa": "avx512"},
        "prefetch_bucket": {"lines": 1},
        "prefetch": {"distance": 256},
        "unroll": {"batch": 8},
        "split_counters": {"tables": 2},
        "fused_histogram": {},
        "keep_scratch": {},
        "huge_pages": {},
    },
    "flash_attention": {
        "simd": {"isa": "avx512"},
        "query_lanes": {},
        "register_block": {"rows": 6, "vectors": 4},
        "tile": {"size": 128},
        "query_tile": {"groups": 4},
        "fused_exp": {},
        "poly_exp": {"degree": 5},
        "fold_scale": {"base": "2"},
        "lazy_rescale": {"threshold": 8},
        "keep_scratch": {},
    },
}


class Rival(NamedTuple):
    """What a user would pick: a file in rivals/, and what its environment has more than the task's own."""

    name: str
    file: str
    packages: str
    flags: tuple[str, ...] = ()


RIVALS = {
    "radix_sort": [
        Rival("std::sort", "std_sort.cpp", "g++"),
        Rival("Boost spreadsort", "spreadsort.cpp", "g++ libboost-dev"),
        Rival("Highway vqsort", "vqsort.cpp", "g++ libhwy-dev", ("-Wl,--no-as-needed", "-lhwy_contrib", "-lhwy")),
    ],
    "flash_attention": [
        Rival("C over OpenBLAS", "openblas_attention.c", "libopenblas-dev", ("-Wl,--no-as-needed", "-lopenblas")),
    ],
}
INSTALL = "apt-get install -y --no-install-recommends"
Measured = dict[str, tuple[float, float | None]]  # by name: median seconds, spread


def adapted(task: Task, folder: Path, rival: Rival) -> Task:
    """The task with what a rival needs in its environment, and the rival's language."""
    shutil.copytree(task.folder, folder)
    dockerfile = folder / "environment" / "Dockerfile"
    dockerfile.write_text(dockerfile.read_text().replace(INSTALL, f"{INSTALL} {rival.packages}"))
    toml = folder / "task.toml"
    head, measure, tail = toml.read_text().partition("[measure]")
    language = "c++" if rival.file.endswith(".cpp") else "c"
    tail = tail.replace('language = "c"', f'language = "{language}"', 1)
    toml.write_text(head + measure + tail.replace("flags = []", f"flags = {json.dumps(rival.flags)}", 1))
    return read_task(folder)


def seconds(engine: Engine, task: Task, profile: str, cores: Cores, solutions: dict[str, Solution]) -> Measured:
    """Median and spread of each; all of them have to be right."""
    found: Measured = {}
    with Evaluator(engine, task, profile, cores) as evaluator:
        for name, solution in solutions.items():
            score = evaluator.evaluate(solution)
            if score.metric is None:
                raise SystemExit(f"{name}: {score.end}: {score.why} {score.log or ''}")
            found[name] = score.metric, score.spread
    return found


def torch_seconds(python: str, task: Task, profile: str, cores: Cores) -> Measured:
    """PyTorch's own time, on the core that is leased."""
    size = task.profile(profile).parameters
    with cores.lease() as lease:
        script = [python, str(HERE / "torch_attention.py"), str(size["n"]), str(size["d"])]
        pinned = ["taskset", "-c", str(lease.core), *script]
        said = json.loads(subprocess.run(pinned, check=True, capture_output=True, text=True).stdout)
    return {f"PyTorch {said['version']}": (float(said["seconds"]), None)}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("task", choices=sorted(BEST))
    asked.add_argument("--profile", default="full")
    asked.add_argument("--torch", help="a Python that has PyTorch")
    given = asked.parse_args()
    task, cores = find_task(given.task), Cores()
    cores.keep_off()
    variant = Solution(files=Catalog(task.catalog).render(Choice(techniques=BEST[given.task])))
    ours = {"baseline": baseline(task), "reference": reference(task), "best variant": variant}
    with Engine.connect() as engine, tempfile.TemporaryDirectory() as place:
        found = seconds(engine, task, given.profile, cores, ours)
        for number, rival in enumerate(RIVALS[given.task]):
            other = adapted(task, Path(place) / str(number) / task.name, rival)
            files = {rival.file: (HERE / rival.file).read_bytes()}
            found |= seconds(engine, other, given.profile, cores, {rival.name: Solution(files=files)})
        found |= seconds(engine, task, given.profile, cores, {"best variant, again": variant})
    if given.torch:
        found |= torch_seconds(given.torch, task, given.profile, cores)
    best = found["best variant"][0]
    rows = [
        (name, f"{took:.4g}", "" if spread is None else f"{spread:.1%}", f"{took / best:.2f}")
        for name, (took, spread) in found.items()
    ]
    show(f"{given.task}, {given.profile}", ("", "seconds", "spread", "times"), rows)


if __name__ == "__main__":
    main()
