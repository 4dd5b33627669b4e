"""What is told of a search while it goes on, from its journal."""

import io
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from conftest import Bench
from rich.console import Console
from search_records import FIRST, NOW, attempt, execution, facts, record, value

from actors.budget import Caps, Earlier
from actors.desk import Desk
from actors.journal import line, line_of
from actors.pool import LocalCluster
from actors.record import Record
from actors.recorded import Fact, Recorded
from pipelines.agenda import Agenda, Job
from pipelines.config import settings
from pipelines.driver import Driver
from pipelines.news import News
from pipelines.plan import plan
from pipelines.progress import Meter
from pipelines.stage import Stage
from pipelines.store import Store, Writer

BEST = "best measured so far, before audit"
UNIT = "search/sort/aim/catalog/boss/r1/00"


def ran(branch: int, index: int, score: float | None) -> Fact:
    about = {"part": f"b{branch:02d}", "kind": "execution", "about": FIRST, "round": 0, "at": NOW}
    return Fact(index=index, value=value(execution(branch, index, FIRST, score)), **about)


def ended(branch: int, score: float | None, **more: object) -> Fact:
    done = attempt(branch, 1, "i001", score, FIRST, **more).model_dump(mode="json")
    about = {"part": f"b{branch:02d}", "kind": "end", "index": 0, "about": FIRST, "round": 0, "at": NOW}
    return Fact(value={"attempt": done, "title": "Tiles"}, **about)


def append(journal: Path, told: Iterable[Fact], unit: str = UNIT) -> None:
    with journal.open("ab") as file:
        file.writelines(line(line_of(unit, fact.part), {"fact": fact.model_dump()}) for fact in told)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def test_a_branch_that_ended_is_told_once_with_the_best_of_all_executions(journal: Path) -> None:
    news = News(journal)
    assert news.lines() == []
    news.begin(UNIT, [])
    append(journal, [ran(1, 1, 0.25), ran(2, 1, 0.5), ran(1, 2, None), ended(1, 0.25)])
    assert news.lines() == [f"sort aim r1 branch 1 'Tiles': 25.0, 2 executions; {BEST}: 50.0"]
    assert news.lines() == []
    append(journal, [ended(2, 0.5), ended(3, None, error="it broke")])
    assert news.lines() == [
        f"sort aim r1 branch 2 'Tiles': 50.0, 2 executions; {BEST}: 50.0",
        f"sort aim r1 branch 3 'Tiles': it broke, 2 executions; {BEST}: 50.0",
    ]


def test_searches_that_differ_in_settings_alone_have_bests_of_their_own(journal: Path) -> None:
    news, other = News(journal), UNIT.replace("/00", "/01")
    append(journal, [ran(1, 1, 0.75)])
    append(journal, [ended(1, None)], other)
    assert news.lines() == [f"sort aim r1 branch 1 'Tiles': nothing right, 2 executions; {BEST}: none"]


def test_half_a_line_is_told_when_it_is_whole(journal: Path) -> None:
    news = News(journal)
    append(journal, [ended(1, 0.25)])
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-9])
    assert news.lines() == []
    journal.write_bytes(whole)
    assert len(news.lines()) == 1


class Short(Stage):
    """Plays a search as one branch that ends with 0.25."""

    journal: Path

    async def play(self, job: Job, recorded: Recorded, store: Store, life: int) -> Record:
        append(self.journal, [ran(2, 1, 0.25), ended(2, 0.25)], job.unit.id)
        return record(job.unit.id)


async def test_a_search_that_goes_on_is_told_from_what_is_recorded(bench: Bench) -> None:
    work = plan(settings(bench.overrides("experiment=idea_search", "cast=scripted", "budget.executions=30")))
    store = Store(work.settings.store)
    earlier = Writer(store)
    earlier.begin(work.units[0].id)
    append(earlier.journal, facts(), work.units[0].id)
    earlier.close(keep_journal=True)

    store, said = Store(work.settings.store), io.StringIO()
    writer, cluster = Writer(store), LocalCluster()
    desk = cluster.pool(Desk, writer.folder, ("run",), Caps(), Earlier(), time.time())
    stage = Short(cluster, desk)
    stage.journal = writer.journal
    meter = Meter(Console(file=said, width=200), 1)
    await Driver(store, writer, Agenda([work], store), stage, desk, meter, None).run(1)
    await stage.close()
    writer.close()
    assert f"radix_sort aim r0 branch 2 'Tiles': 25.0, 2 executions; {BEST}: 50.0\n" in said.getvalue()
