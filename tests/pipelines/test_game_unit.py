"""What follows for a unit from who plays it."""

from datetime import date

import pytest

from actors.model import Kind, Spec
from actors.paper import read_paper
from pipelines.game_unit import contaminated
from pipelines.settings import ROOT

PAPER = read_paper(ROOT / "datasets" / "papers" / "batch-normalization.md")


def spec(cutoff: date | None) -> Spec:
    return Spec(name="m", kind=Kind.SCRIPTED, family="f", cutoff=cutoff)


EARLY, LATE = date(2000, 1, 1), date(2030, 1, 1)


@pytest.mark.parametrize(
    ("cutoffs", "known"),
    [
        ([EARLY], False),
        ([LATE], True),
        ([None], None),
        ([EARLY, LATE], True),
        ([EARLY, None], None),
        ([LATE, None], True),
        ([EARLY, EARLY], False),
    ],
)
def test_one_player_who_may_know_the_paper_is_enough(cutoffs: list[date | None], known: bool | None) -> None:
    assert contaminated(PAPER, *map(spec, cutoffs)) is known
