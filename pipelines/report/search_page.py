"""The page of a report of searches; like the game's it is one file that asks for nothing and takes all text as text.

Code and words of models are escaped by Jinja2; the page's own content-security policy forbids scripts and requests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from jinja2 import Environment
from markupsafe import Markup

from pipelines.report.facts import Facts
from pipelines.report.grid import Grid
from pipelines.report.page import FILE_CHARACTERS, MAX_BYTES, environment
from pipelines.report.search_captions import FIGURES
from pipelines.report.search_figures import letter
from pipelines.report.search_grids import minutes, x100
from pipelines.report.search_story import Branch, Story
from pipelines.report.words import DASH, known

SPARE = 2000  # bytes, for the sentence that says what was left out
Place = tuple[int, int]  # story, branch in it


@dataclass(frozen=True)
class SearchPage:
    """All that stands on the page; ``figures`` are (kind, SVG made for inlining), ``heats`` those of searches."""

    name: str
    facts: Facts
    grids: Mapping[str, Grid]
    figures: Sequence[tuple[str, str]]
    heats: Mapping[str, str]
    stories: Sequence[Story]
    tokens_said: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LeftOut:
    """How many branches, and of how many more the code, the page does not hold."""

    branches: int
    codes: int


def render_searches(page: SearchPage, max_bytes: int = MAX_BYTES) -> tuple[str, LeftOut]:
    """The page as HTML, and what of it was left out so that ``max_bytes`` hold it.

    First the code of the branches with the worst scores goes, then, where that is not enough, these branches whole.
    """
    made = searching(environment())
    draw = made.get_template("search_branch.j2").render
    branches = {(s, b): one for s, story in enumerate(page.stories) for b, one in enumerate(story.branches)}
    bare = {place: Markup(draw(branch=one, code=None)) for place, one in branches.items()}
    full = {place: Markup(draw(branch=one, code=lines(one))) for place, one in branches.items() if one.diff}
    best = sorted(branches, key=lambda place: branches[place].worth, reverse=True)
    room = max_bytes - len(_fill(made, page, {}, LeftOut(0, 0)).encode()) - SPARE
    kept: dict[Place, Markup] = {}
    for place in best:
        room -= len(bare[place].encode()) + 1
        if room < 0:
            room += len(bare[place].encode()) + 1
            break
        kept[place] = bare[place]
    codes = 0
    for place in [one for one in best if one in kept and one in full]:
        room -= len(full[place].encode()) - len(bare[place].encode())
        if room < 0:
            break
        kept[place] = full[place]
        codes += 1
    left = LeftOut(len(branches) - len(kept), sum(place in kept for place in full) - codes)
    return _fill(made, page, kept, left, max_bytes), left


def searching(made: Environment) -> Environment:
    """The page's environment with what the search's templates need besides."""
    made.filters.update(x100=x100, minutes=minutes, metric=metric)
    made.globals.update(letter=letter)
    parts = made.get_template("search_parts.j2").module
    made.globals.update({name: getattr(parts, name) for name in ("idea", "executions", "cluster")})
    return made


def metric(value: float | None) -> str:
    """A measurement to four digits."""
    return f"{value:.4g}" if value is not None and known(value) else DASH


def lines(branch: Branch) -> list[tuple[str, str]]:
    """A diff as (class, line)."""
    kinds = {"+": "add", "-": "del", "@": "at"}
    said = (branch.diff or "").split("\n")
    return [("at" if line[:4] in ("--- ", "+++ ") else kinds.get(line[:1], ""), line) for line in said if line]


def _fill(
    made: Environment, page: SearchPage, kept: Mapping[Place, Markup], left: LeftOut, max_bytes: int = MAX_BYTES
) -> str:
    story = partial(_search, made, page, kept)
    kinds = dict.fromkeys(kind for kind, _ in page.figures)
    figures = {kind: (FIGURES[kind], [Markup(svg) for one, svg in page.figures if one == kind]) for kind in kinds}
    return made.get_template("search_page.j2").render(
        page=page,
        figures=figures,
        searches=[story(number) for number in range(len(page.stories))],
        files={path: text[:FILE_CHARACTERS] for path, text in page.files.items()},
        left_out=left,
        max_mb=f"{max_bytes / 1e6:g}",
    )


def _search(made: Environment, page: SearchPage, kept: Mapping[Place, Markup], number: int) -> Markup:
    """One search with the branches that are kept."""
    story = page.stories[number]
    blocks: dict[int, list[Markup]] = {iteration.number: [] for iteration in story.iterations}
    for place, branch in enumerate(story.branches):
        if (number, place) in kept:
            blocks[int(str(branch.row["iteration"]))].append(kept[number, place])
    heat = page.heats.get(str(story.head["unit"]))
    return Markup(
        made.get_template("search.j2").render(
            story=story,
            number=number + 1,
            blocks=blocks,
            heat=Markup(heat) if heat else None,
            heat_caption=FIGURES["clusters"],
            open=len(page.stories) == 1,
        )
    )
