"""Whether the twin plays as the pipeline does: every effect of a small study, played by both on the same papers.

    python tests/bench/likeness.py [--seeds 6] [--runs 200]

The pipeline plays the twin's study on six of the papers that ship, in this process, once for each seed; a seed is
another truth and other knowledge. The twin plays each of these worlds --runs times. z: how far the pipeline's mean over
papers and seeds is from the twin's, in standard errors that the twin's runs give; beyond 3.29 is one time in a thousand
for each of the effects. A seed takes some twenty seconds on an idle core.
"""

import argparse
import contextlib
import io
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from measure import show

from pipelines.cli import main as heuresis
from pipelines.config import settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from twin.pipeline import apart, commands, compared, played
from twin.study import effects_cast

FAR = 3.29


def run(command: list[str]) -> int:
    """One run, its output swallowed."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return heuresis(["run", *command])


def table(name: str, command: list[str]) -> pd.DataFrame:
    return pd.read_parquet(settings(command).folder / "tables" / f"{name}.parquet")


def main(seeds: int, runs: int) -> None:
    cast, parts, games = effects_cast(), [], 0
    for seed in range(seeds):
        with tempfile.TemporaryDirectory(prefix="heuresis-bench-") as outputs:
            told = commands(cast, ["cluster=inprocess", f"outputs={outputs}", f"seed={seed}"])
            tables, worlds = played(told, run, table)
        games += int(tables.units["kind"].isin(["game", "fork", "pool"]).sum())
        parts.append(apart(cast, tables, worlds, runs, np.random.default_rng(seed)))
    found = compared(pd.concat(parts, ignore_index=True))
    show(
        f"{games} games of the pipeline, of {seeds} seeds, against {runs} times as many of the twin",
        ["effect", "pipeline", "twin", "papers", "z", ""],
        [
            [row.effect, f"{row.pipeline:.3f}", f"{row.twin:.3f}", str(row.n), f"{row.z:+.2f}", mark(row.z)]
            for row in found.itertuples()
        ],
    )


def mark(z: float) -> str:
    """What is too far away."""
    return "far" if abs(z) > FAR else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--runs", type=int, default=200)
    chosen = parser.parse_args()
    main(chosen.seeds, chosen.runs)
