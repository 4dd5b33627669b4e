"""From a search's record over its tables to a report: nothing of what a search keeps stands in the report's way."""

from conftest import Bench
from search_records import record

from pipelines.config import settings
from pipelines.gather import gather
from pipelines.plan import plan
from pipelines.report.make import make_report
from pipelines.store import Store, Writer
from pipelines.work import prepare_folder


def test_a_record_becomes_a_page(bench: Bench) -> None:
    made = plan(settings(bench.overrides("experiment=idea_search", "cast=scripted", "budget.executions=30")))
    prepare_folder(made)
    store = Store(made.settings.store)
    writer = Writer(store)
    writer.finish([record(made.units[0].id)])
    writer.close()
    gather(made.units, store, made.tables)
    result = make_report([made.folder])
    rows = result.tables["branches"].set_index("branch")
    assert rows["score"].fillna(-1).tolist() == [0.5, -1, 0.75]
    assert rows["gain"].fillna(-1).tolist() == [-1, -1, 0.25]
    assert rows.loc[2, ["role", "lost", "flags", "error_kind"]].tolist() == ["discarded", 1, "", "lost"]
    assert result.tables["mismatch"]["share"].tolist() == [1.0, 0.0]
    assert result.tables["best_so_far"].query("axis == 'executions'")["best"].tolist() == [0.5, 0.5, 0.5, 0.7, 0.75]
    html = result.page.read_text(encoding="utf-8")
    for said in (
        "Try anything.",
        "the code of branch 1, which scored 50.0",
        "Tiles of 8",
        "it broke",
        "-int c;",
        "+int d;",
    ):
        assert said in html, said
