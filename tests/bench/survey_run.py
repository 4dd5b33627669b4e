"""How long a scripted survey experiment takes: 20 papers, 6 models, 4 conditions, 3 replicates, 100 questions, judged.

    python tests/bench/survey_run.py [--papers 20] [--replicates 3] [--in-flight 256]

Only six papers ship, so the bench makes twenty of them: copies under other names, each with a sentence more in its
problem and in its solution, their surveys changed alike in every version and frozen again; no two have one hash. 1,440
games of 244 calls each (100 questions, 100 answers, 11 cards, 33 ratings), in one process. seconds: from the start of
`heuresis run` to its end, with tables. playing: between its first call and its last. for 1,440: seconds if all these
games were played, where fewer were: everything in proportion, the start too, so they take no longer. CPU s: of the
process, which is all that it takes on a core of its own. MB: its peak memory.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import pyarrow.parquet as pq
from measure import heuresis, show
from processes import Watched

from actors.survey import Survey, digest, read_survey
from pipelines.settings import ROOT

MODELS = ("novice", "adept", "master", "delver", "steady", "rover")
CONDITIONS = ("none", "dummy", "decoy", "full")
PAPERS, REPLICATES = 20, 3
FULL = PAPERS * REPLICATES * len(MODELS) * len(CONDITIONS)
GOAL = 8 * 60


def made(folder: Path, count: int) -> None:
    """So many papers and their surveys, copies of those that ship."""
    for kind in ("papers", "surveys"):
        (folder / kind).mkdir(parents=True)
    shipped = sorted((ROOT / "datasets" / "surveys").glob("*.json"))
    for number, path in enumerate(islice(cycle(shipped), count), 1):
        name = f"{path.stem}-{number}"
        text = (ROOT / "datasets" / "papers" / f"{path.stem}.md").read_text().replace(f"id: {path.stem}", f"id: {name}")
        for part in ("domain", "contribution"):  # the first of the problem, and of the solution
            text = text.replace(f"  {part}: >-\n", f"  {part}: >-\n    This is copy {number}.\n")
        (folder / "papers" / f"{name}.md").write_text(text)
        survey = copied(read_survey(path), name, number)
        (folder / "surveys" / f"{name}.json").write_text(json.dumps(survey.model_dump(mode="json")))


def copied(survey: Survey, name: str, number: int) -> Survey:
    """The survey of a copy: its first dimension has another name in every version."""
    versions = {}
    for kind, version in survey.versions.items():
        first, *others = version.dimensions
        renamed = first.model_copy(update={"name": f"{first.name}, copy {number}"})
        changed = version.model_copy(update={"dimensions": (renamed, *others)})
        versions[kind] = changed.model_copy(update={"sha256": digest(changed)})
    return survey.model_copy(update={"paper": name, "versions": versions})


def command(folder: Path, replicates: int, in_flight: int) -> list[str]:
    return heuresis(
        "run",
        "experiment=survey",
        "cast=scripted",
        "cluster=inprocess",
        f"inquisitors=[{','.join(MODELS)}]",
        f"condition=[{','.join(CONDITIONS)}]",
        f"outputs={folder / 'outputs'}",
        f"papers_dir={folder / 'papers'}",
        f"surveys_dir={folder / 'surveys'}",
        f"replicates={replicates}",
        f"cluster.in_flight={in_flight}",
        "questions=100",
    )


def row(folder: Path, replicates: int, in_flight: int) -> tuple[str, ...]:
    """One run, and what its tables say of it."""
    begun = time.monotonic()
    child = subprocess.Popen(command(folder, replicates, in_flight), stdout=subprocess.DEVNULL, text=True)
    watched = Watched([child])
    watched.wait()
    seconds = time.monotonic() - begun
    tables = next((folder / "outputs").glob("survey-*")) / "tables"
    units = pq.read_table(tables / "units.parquet", columns=["kind", "status"])
    games = units["kind"].to_pylist().count("game")
    if units["status"].to_pylist().count("ok") < len(units):
        raise SystemExit("not all units ended well")
    calls = pq.read_table(tables / "calls.parquet", columns=["started_at"])["started_at"].to_pandas()
    playing = (calls.max() - calls.min()).total_seconds()
    cpu, whole = watched.used[-1], FULL / games
    figures = (seconds, playing, seconds * whole, cpu, cpu * whole)
    said = [f"{figure:,.0f}" for figure in figures]
    return (f"{games:,}", *said, f"{len(calls) / playing:,.0f}", f"{watched.peak / 1e6:,.0f}")


def main(papers: int, replicates: int, in_flight: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="heuresis-bench-"))
    before = os.getloadavg()[0]
    try:
        made(folder, papers)
        rows = [row(folder, replicates, in_flight)]
    finally:
        shutil.rmtree(folder)
    title = (
        f"a survey experiment; {FULL:,} games are to take {GOAL} s on two cores; load before {before:.1f},"
        f" at the end {os.getloadavg()[0]:.1f}"
    )
    columns = ("games", "seconds", "playing", f"for {FULL:,}", "CPU s", f"for {FULL:,}", "calls/s", "MB")
    show(title, columns, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=PAPERS)
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    parser.add_argument("--in-flight", type=int, default=256)
    chosen = parser.parse_args()
    main(chosen.papers, chosen.replicates, chosen.in_flight)
