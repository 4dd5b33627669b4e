"""How a driver's peak memory grows with the number of units that it plays.

    python tests/bench/memory.py [UNITS ...]      default: 1000 5000 20000

Short scripted games, two questions each, with three judgings; without Ray, everything in one process, so what the
actors hold is in the figures. Each run is a process of its own, in a folder that is removed at the end.
"""

import argparse
import tempfile

from measure import Cost, heuresis, measure, show

A_REPLICATE = 6 * 3 * 4  # papers, models, and a game with three judgings


def play(units: int) -> tuple[int, Cost]:
    """So many units, or a few more."""
    replicates = -(-units // A_REPLICATE)
    whole = (
        "cluster=inprocess",
        "cast=scripted",
        "inquisitors=[novice,adept,master]",
        "judges=[lenient,fair,strict]",
        "papers=6",
        "questions=2",
        f"replicates={replicates}",
    )
    with tempfile.TemporaryDirectory(prefix="heuresis-bench-") as outputs:
        return replicates * A_REPLICATE, measure(heuresis("run", f"outputs={outputs}", *whole))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("units", nargs="*", type=int, default=[1000, 5000, 20_000])
    found = [play(units) for units in parser.parse_args().units]
    least = found[0][1].megabytes
    rows = [
        (f"{units:,}", f"{cost.seconds:.0f}", f"{cost.megabytes:.0f}", f"{cost.megabytes / least:.2f}")
        for units, cost in found
    ]
    show("heuresis run, from nothing", ["units", "s", "peak MB", "to the first"], rows)
