"""How much of the answerer's prompts the embedded server reuses, with several papers in flight.

    python tests/bench/prefix.py [--papers 8] [--questions 4] [--chars 5000]

One game a paper, all at once, on Ray, judging left out. There are six papers: further ones are copies under other ids
whose solution and text begin otherwise, so that no two share a prefix beyond the template. The server is one of this
run's own. Of each text only so many characters are taken: reading is slow, and a shorter paper makes the goal harder.
Tokens are those of the table ``calls``, seat answer, summed over the papers: at a game's first question the
paper must be read; from the second on it should not be. Takes some four minutes on two idle cores.
"""

import argparse
import os
import re
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from measure import heuresis, measure, show

from pipelines.settings import ROOT

GOAL = 0.95
PATIENCE = 1800  # seconds that a request may take: where the cores are shared a time-out would have papers read twice


def write_papers(folder: Path, count: int, chars: int) -> None:
    """So many papers that differ."""
    shipped = sorted(path for path in (ROOT / "datasets" / "papers").glob("*.md") if path.name != "README.md")
    folder.mkdir()
    for number in range(count):
        source, copy = shipped[number % len(shipped)], number // len(shipped)
        front, text = source.read_text().split("\n---\n", 1)
        name = source.stem
        if copy:
            name = f"{source.stem}-{copy}"
            front = front.replace(f"id: {source.stem}", f"id: {name}", 1)
            solution, at_once = re.subn(r"(solution:\n  contribution: >-\n    )", rf"\1As told in copy {copy}: ", front)
            assert at_once == 1, source
            front, text = solution, f"\nThis is copy {copy} of a text.\n{text}"
        (folder / f"{name}.md").write_text(f"{front}\n---\n{text[:chars]}")


def command(outputs: Path, papers: int, questions: int) -> list[str]:
    what = ("cast=embedded", "judging=false", "replicates=1", f"questions={questions}", "card_every=1000")
    where = (f"outputs={outputs / 'out'}", f"papers_dir={outputs / 'papers'}", f"cluster.in_flight={papers}")
    return heuresis("run", *what, *where, f"models.smollm2.timeout={PATIENCE}")


def main(papers: int, questions: int, chars: int) -> None:
    with tempfile.TemporaryDirectory(prefix="hb-") as outputs:
        os.environ["TMPDIR"] = outputs  # a server of this run's own, and Ray's sockets at a short path
        write_papers(Path(outputs) / "papers", papers, chars)
        cost = measure(command(Path(outputs), papers, questions))
        table = next(Path(outputs).glob("out/game-*/tables/calls.parquet"))
        calls = pq.read_table(table, columns=["seat", "turn", "prompt_tokens", "cached_tokens"]).to_pandas()
    answers = calls[calls.seat == "answer"]
    picks = [(f"question {turn}", of_turn) for turn, of_turn in answers.groupby("turn")]
    picks.append(("after the first", answers[answers.turn > 1]))
    rows = []
    for name, picked in picks:
        prompt, cached = picked.prompt_tokens.sum(), picked.cached_tokens.sum()
        goal = f"{GOAL:.2f}" if name == "after the first" else ""
        rows.append([name, str(len(picked)), f"{prompt:,}", f"{cached:,}", f"{cached / prompt:.3f}", goal])
    title = f"answerer's prompt tokens, {papers} papers in flight; the run took {cost.seconds:.0f} s"
    show(title, ["", "calls", "prompt tokens", "reused", "share", "goal"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=8)
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--chars", type=int, default=5000)
    chosen = parser.parse_args()
    main(chosen.papers, chosen.questions, chosen.chars)
