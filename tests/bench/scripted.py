"""How long scripted games of 100 questions take, each with the judgings of three judges, by the whole command.

    python tests/bench/scripted.py [--games 1000] [--in-flight 256] [--cluster inprocess --cluster local]

A game is 244 calls: 100 questions, 100 answers, 11 cards, 33 ratings. seconds: from the start of `heuresis run` to its
end, with tables. playing: between its first call and its last. for 1,000: the same if 1,000 games were played, where
--games is another number: what is not playing stays, playing grows in proportion. CPU s: of all processes, Ray's too;
on two cores that nobody else uses a run takes at least half of that. driver MB: its peak memory.
"""

import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq
from measure import heuresis, show
from processes import Watched

MODELS, PAPERS = 3, 6
GOALS = {"local": 200, "inprocess": 60}
FULL = 1000


def command(outputs: Path, cluster: str, games: int, in_flight: int) -> list[str]:
    replicates = max(1, round(games / MODELS / PAPERS))
    whole = (f"papers={PAPERS}", f"replicates={replicates}", "questions=100")
    return heuresis(
        "run",
        f"outputs={outputs}",
        f"cluster={cluster}",
        "cast=scripted",
        "inquisitors=[novice,adept,master]",
        "judges=[lenient,fair,strict]",
        f"cluster.in_flight={in_flight}",
        *whole,
    )


def row(outputs: Path, cluster: str, games: int, in_flight: int) -> tuple[str, ...]:
    """One run, and what its tables say of it."""
    begun = time.monotonic()
    child = subprocess.Popen(command(outputs, cluster, games, in_flight), stdout=subprocess.DEVNULL, text=True)
    watched = Watched([child])
    watched.wait()
    seconds = time.monotonic() - begun
    tables = next(outputs.glob("game-*")) / "tables"
    played = pq.read_table(tables / "units.parquet", columns=["kind"])["kind"].to_pylist().count("game")
    calls = pq.read_table(tables / "calls.parquet", columns=["started_at"])["started_at"].to_pandas()
    playing = (calls.max() - calls.min()).total_seconds()
    full = seconds - playing + playing * FULL / played
    return (
        cluster,
        f"{played:,}",
        f"{seconds:.1f}",
        f"{playing:.1f}",
        f"{played / playing:.1f}",
        f"{len(calls) / playing:,.0f}",
        f"{full:.0f}",
        str(GOALS[cluster]),
        f"{watched.used[-1]:.0f}",
        f"{watched.peak / 1e6:.0f}",
    )


def main(games: int, in_flight: int, clusters: list[str]) -> None:
    rows = []
    for cluster in clusters:
        outputs = Path(tempfile.mkdtemp(prefix="heuresis-bench-"))
        try:
            rows.append(row(outputs, cluster, games, in_flight))
        finally:
            shutil.rmtree(outputs)
    figures = ("games", "seconds", "playing", "games/s", "calls/s", "for 1,000", "goal", "CPU s", "driver MB")
    show(f"scripted games, 100 questions, 3 judges, {in_flight} units in flight", ["cluster", *figures], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=FULL)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--cluster", action="append", choices=list(GOALS), help="default: both")
    chosen = parser.parse_args()
    main(chosen.games, chosen.in_flight, chosen.cluster or list(GOALS))
