"""The page: one HTML file that asks for nothing, runs nothing, and treats every text in it as text.

What models wrote is escaped by Jinja2; a content-security policy in the page forbids scripts and requests besides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from pipelines.report import words
from pipelines.report.captions import FIGURES
from pipelines.report.chapters.chapter import Chapter, Told
from pipelines.report.chapters.gallery import HINT, TEXT, cut
from pipelines.report.chapters.terms import TERMS_SAID
from pipelines.report.facts import Facts
from pipelines.report.games import Game
from pipelines.report.grid import Grid, signed
from pipelines.report.sample import PRIORITY, Sample
from pipelines.report.theme import SERIES, VARIABLES

MAX_BYTES = 20_000_000
FILE_CHARACTERS = 20_000
SHORT = 16
"""Rows of a table that is not folded."""
MARKS = {"YES": "✓", "NO": "✕", "UNKNOWN": "?"}


@dataclass(frozen=True)
class Page:
    """All that stands on the page; ``figures`` are (kind, SVG made for inlining)."""

    name: str
    facts: Facts
    grids: dict[str, Grid]
    figures: Sequence[tuple[str, str]]
    sample: Sample
    games: Sequence[Game]
    left_out: str
    seed: int
    files: dict[str, str] = field(default_factory=dict)
    chapters: Sequence[Told] = ()
    missing: Sequence[Chapter] = ()


def render(page: Page, max_bytes: int = MAX_BYTES) -> tuple[str, int]:
    """The page as HTML, and how many games of the sample it holds.

    Of more than ``max_bytes`` hold, the medians are left out first, then the worst, then the best, from the end.
    """
    made = environment()
    template, story = made.get_template("page.j2"), made.get_template("game.j2")
    blocks = [Markup(story.render(game=game)) for game in page.games]
    room = max_bytes - len(_fill(template, page, []).encode()) - 1000
    kept: list[int] = []
    for place in sorted(range(len(blocks)), key=lambda place: PRIORITY[str(page.games[place].head["role"])]):
        room -= len(blocks[place].encode()) + 1
        if room < 0:
            break
        kept.append(place)
    return _fill(template, page, [blocks[place] for place in sorted(kept)]), len(kept)


def environment() -> Environment:
    """Where the templates are; autoescape is on, and what a template does not know is an error."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(real=words.real, whole=words.whole, count=words.count, signed=signed)
    made.filters.update(cut=cut, tone=tone)
    made.globals.update(
        SHORT=SHORT, variables=VARIABLES, marks=MARKS, spark=spark, series=len(SERIES), hint=HINT, text=TEXT
    )
    return made


def _fill(template: Template, page: Page, blocks: Sequence[Markup]) -> str:
    files = {path: text[:FILE_CHARACTERS] for path, text in page.files.items()}
    return template.render(
        page=page,
        figures=by_kind(page.figures, FIGURES),
        chapters=[(one, by_kind(one.drawings, one.chapter.figures)) for one in page.chapters],
        blocks=blocks,
        files=files,
        max_mb=MAX_BYTES // 10**6,
        terms_said=TERMS_SAID,
    )


def by_kind(figures: Sequence[tuple[str, str]], captions: Mapping[str, str]) -> dict[str, tuple[str, list[Markup]]]:
    """Figures that stand together, with their caption."""
    kinds = dict.fromkeys(kind for kind, _ in figures)
    return {kind: (captions[kind], [Markup(svg) for one, svg in figures if one == kind]) for kind in kinds}


def spark(trace: Sequence[tuple[int, float]], last: int) -> str:
    """The points of a small curve, 1-10 from bottom to top, in a box of 100 x 30."""
    return " ".join(f"{3 + 94 * t / max(last, 1):.1f},{27 - 24 * (score - 1) / 9:.1f}" for t, score in trace)


def tone(branch: int, of: int) -> str:
    """The class that gives a branch its colour; the last differs from the first, which it stands beside."""
    place = (branch - 1) % len(SERIES)
    return f"s{len(SERIES) // 2 if branch == of > 1 and not place else place}"
