"""How long scripted games of 100 questions take, each with the judgings of three judges, by the whole command.

    python tests/bench/scripted.py [--games 1000] [--in-flight 256] [--cluster inprocess --cluster local]

A game is 244 calls: 100 questions, 100 answers, 11 cards, 33 ratings. seconds: from the start of `heuresis run` to its
end, with tables. playing: between its first call and its last. for 1,000: the same if 1,000 games were played, where
--games is another number: what is not playing stays, playing grows in proportion. driver MB: its peak memory.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from measure import Cost, heuresis, measure, show

MODELS, PAPERS = 3, 6
GOALS = {"local": 200, "inprocess": 60}
FULL = 1000


def command(outputs: Path, cluster: str, games: int, in_flight: int) -> list[str]:
    replicates = max(1, round(games / MODELS / PAPERS))
    whole = (f"papers={PAPERS}", f"replicates={replicates}", "questions=100")
    return heuresis(
        "run", f"outputs={outputs}", f"cluster={cluster}", "cast=scripted", f"cluster.in_flight={in_flight}", *whole
    )


def row(outputs: Path, cluster: str, cost: Cost) -> tuple[str, ...]:
    """What the run's tables say of it."""
    tables = next(outputs.glob("game-*")) / "tables"
    games = pq.read_table(tables / "units.parquet", columns=["kind"])["kind"].to_pylist().count("game")
    calls = pq.read_table(tables / "calls.parquet", columns=["started_at"])["started_at"].to_pandas()
    playing = (calls.max() - calls.min()).total_seconds()
    full = cost.seconds - playing + playing * FULL / games
    return (
        cluster,
        f"{games:,}",
        f"{cost.seconds:.1f}",
        f"{playing:.1f}",
        f"{games / playing:.1f}",
        f"{len(calls) / playing:,.0f}",
        f"{full:.0f}",
        str(GOALS[cluster]),
        f"{cost.megabytes:.0f}",
    )


def main(games: int, in_flight: int, clusters: list[str]) -> None:
    rows = []
    for cluster in clusters:
        outputs = Path(tempfile.mkdtemp(prefix="heuresis-bench-"))
        try:
            rows.append(row(outputs, cluster, measure(command(outputs, cluster, games, in_flight))))
        finally:
            shutil.rmtree(outputs)
    columns = ("cluster", "games", "seconds", "playing", "games/s", "calls/s", "for 1,000", "goal", "driver MB")
    show(f"scripted games, 100 questions, 3 judges, {in_flight} units in flight", columns, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=FULL)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--cluster", action="append", choices=list(GOALS), help="default: both")
    chosen = parser.parse_args()
    main(chosen.games, chosen.in_flight, chosen.cluster or list(GOALS))
