"""A report of several runs: where it goes, and which searches of theirs are one."""

import shutil
from pathlib import Path

import pytest
from made_search_tables import MadeSearches, one_search

from pipelines.cli import main
from pipelines.config import settings
from pipelines.report.make import make_report, place_of
from pipelines.work import replace_text


def searches(folder: Path, make: str, scores: list[float], *given: str) -> Path:
    """A run whose searches are replicates, with the config that it would have."""
    made = MadeSearches()
    for replicate, score in enumerate(scores):
        keys = made.search(replicate=replicate, score=score, make=make)
        made.branch(keys, 1, [score])
    run = made.write(folder)
    config = settings(["experiment=idea_search", "cast=scripted", f"replicates={len(scores)}", *given])
    replace_text(run / "config.yaml", config.model_dump_json(by_alias=True))  # JSON is YAML
    return run


def test_replicates_of_one_search_are_one_group_and_another_setting_is_another(tmp_path: Path) -> None:
    first = searches(tmp_path / "first", "00", [0.2, 0.4])
    more = searches(tmp_path / "more", "00", [0.2, 0.4, 0.6, 0.8])
    other = searches(tmp_path / "other", "11", [0.1], "audit=false", "branches=8")
    result = make_report([first, more, other])
    rows = result.tables["summary"].set_index("variant")
    assert rows["n"].to_dict() == {"audit=enforce, branches=5": 4, "audit=record, branches=8": 1}
    assert rows["score"].tolist() == pytest.approx([0.5, 0.1])
    assert len(result.tables["search_results"]) == 5
    assert make_report([first, more]).tables["summary"]["variant"].tolist() == [""]


def test_a_comparison_leaves_the_runs_own_pages_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (one_search().write(tmp_path / name) for name in ("alpha", "beta"))
    own = make_report([first]).page
    alone = own.read_bytes()
    assert main(["report", str(first), str(second)]) == 0
    page = place_of([first, second]) / "page.html"
    assert f"page: {page}\n" in capsys.readouterr().out
    assert page.parent.parent == tmp_path / "reports"
    assert page.read_bytes() != alone == own.read_bytes()
    assert not (second / "report").exists()


def test_the_same_comparison_has_the_same_place_wherever_it_lies(tmp_path: Path) -> None:
    runs = [tmp_path / "outputs" / name for name in ("a", "b", "c")]
    for run in runs:
        run.mkdir(parents=True)
    here = place_of(runs)
    assert place_of(runs[::-1]) == here
    assert len({here, place_of(runs[:2]), place_of(runs[1:])}) == 3
    assert place_of([runs[0], runs[0] / ".." / "a"]) == runs[0] / "report"
    shutil.move(tmp_path / "outputs", tmp_path / "moved")
    assert place_of([tmp_path / "moved" / run.name for run in runs]).name == here.name
