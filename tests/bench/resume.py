"""What the same command costs again on a store of many finished games: time and the driver's peak memory.

    python tests/bench/resume.py [--games 10000] [--store DIR] [--ray]

A game has 100 questions and three judgings. The store is made first, from one game that the scripted model really
plays: about 130 KB a game, in a folder that is removed at the end unless --store names one to keep and use again.
"""

import argparse
import contextlib
import io
import json
import shutil
import tempfile
import time
from pathlib import Path
from unittest import mock

from measure import heuresis, measure, python, show

from actors.record import Record
from pipelines.cli import main
from pipelines.config import settings
from pipelines.plan import plan
from pipelines.store import Store, Writer

MODELS = ("novice", "adept", "master")
PAPERS = 6
PLAN = """
import sys
from pipelines.config import settings
from pipelines.plan import plan
plan(settings(sys.argv[1:]))
"""
BATCH = 64  # records synced together


def overrides(outputs: Path, games: int, cluster: str = "inprocess") -> list[str]:
    replicates = max(1, round(games / len(MODELS) / PAPERS))
    whole = (
        "cast=scripted",
        "inquisitors=[novice,adept,master]",
        "judges=[lenient,fair,strict]",
        f"papers={PAPERS}",
        "questions=100",
        f"replicates={replicates}",
    )
    return [f"outputs={outputs}", f"cluster={cluster}", *whole]


def build(outputs: Path, games: int) -> None:
    """The store: one real game and its judgings, again and again under the names of all units."""
    one = outputs / "one"
    with contextlib.redirect_stdout(io.StringIO()):
        main(["run", *overrides(one, 1), "papers=1", "inquisitors=[adept]"])
    played = Store(one / "store")
    models = {unit.split("/")[0]: played.record(unit) for unit in played.units()}
    writer = Writer(Store(outputs / "store"))
    batch: list[Record] = []
    an_hour_ago = time.time() - 3600  # status opens what was finished in the last minute, for its rate
    with mock.patch("pipelines.store.time.time", return_value=an_hour_ago):
        for unit in plan(settings(overrides(outputs, games))).units:
            model = models[unit.kind]
            batch.append(model.model_copy(update={"unit": unit.id, "parent": unit.game, "seconds": 60.0}))
            if len(batch) == BATCH:
                writer.finish(batch)
                batch = []
        writer.finish(batch)
    writer.close()
    shutil.rmtree(one)


def main_again(outputs: Path, games: int, ray: bool) -> None:
    """The table."""
    given = overrides(outputs, games)
    folder = settings(given).folder
    rows = [("making the plan", measure(python("-c", PLAN, *given)))]
    if not (folder / "tables").exists():
        rows.append(("heuresis run, all tables to write", measure(heuresis("run", *given))))
    rows.append(("heuresis run, nothing to do", measure(heuresis("run", *given))))
    rows.append(("heuresis status", measure(heuresis("status", str(folder), "--json"))))
    known = {path.name for path in (outputs / "store").iterdir()}

    def started() -> bool:
        new = [path for path in (outputs / "store").iterdir() if path.name not in known]
        return any(path.stat().st_size for one in new for path in one.glob("journal.jsonl"))

    more = [
        *overrides(outputs, games, "local" if ray else "inprocess"),
        f"inquisitors=[{','.join(MODELS)},information]",
    ]
    rows.append(("one model more, until its first unit starts", measure(heuresis("run", *more), started)))
    units = json.loads((folder / "manifest.json").read_text())["units"]
    told = [(name, f"{units:,}", f"{cost.seconds:.1f}", f"{cost.megabytes:.0f}") for name, cost in rows]
    show("Ray started" if ray else "without Ray, whose start comes on top", ["", "units", "s", "peak MB"], told)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--store", type=Path, help="a folder to make the store in, or to use it again")
    parser.add_argument("--ray", action="store_true", help="with Ray's own start, for the model that is added")
    parser.add_argument("--build", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.build:
        build(chosen.store, chosen.games)
    else:
        outputs = chosen.store or Path(tempfile.mkdtemp(prefix="heuresis-bench-"))
        try:
            if not (outputs / "store").exists():
                measure(python(__file__, "--build", "--store", str(outputs), "--games", str(chosen.games)))
            main_again(outputs, chosen.games, chosen.ray)
        finally:
            if chosen.store is None:
                shutil.rmtree(outputs)
