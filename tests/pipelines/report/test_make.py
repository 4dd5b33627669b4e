"""What a report leaves on the disk: tables twice, figures twice, the same bytes every time, no half files."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from made_tables import Made, panel, study

from actors.errors import BadInput
from pipelines.report.make import ReportResult, make_report
from pipelines.report.summary import summary
from pipelines.report.write import finished


def test_tables_and_figures_lie_beside_the_page(study_report: tuple[Path, ReportResult]) -> None:
    run, result = study_report
    assert result.page == run / "report" / "page.html"
    for name, table in result.tables.items():
        stored = pd.read_parquet(run / "report" / "tables" / f"{name}.parquet")
        assert (
            list(stored.columns) == list(pd.read_csv(run / "report" / "tables" / f"{name}.csv")) == list(table.columns)
        )
        assert len(stored) == len(table)
    assert {path.suffix for path in result.figures} == {".svg", ".png"}
    assert all(path.stat().st_size > 1000 for path in result.figures)
    assert not list(run.rglob(".*"))


def test_paths_are_ready_for_json_and_exist(study_report: tuple[Path, ReportResult]) -> None:
    found = json.loads(json.dumps(study_report[1].paths()))
    assert sorted(found) == ["figures", "page", "tables", "warnings"]
    assert all(Path(path).is_file() for path in [found["page"], *found["tables"], *found["figures"]])


def test_the_same_tables_give_the_same_bytes_anywhere(study_report: tuple[Path, ReportResult], tmp_path: Path) -> None:
    run, first = study_report
    copy = tmp_path / "there" / "game-00"
    copy.mkdir(parents=True)
    shutil.copytree(run / "tables", copy / "tables")
    second = make_report([copy], out=tmp_path / "out")
    assert second.page == tmp_path / "out" / "page.html"
    for path in [*first.figures, first.page]:
        twin = second.page.parent / path.relative_to(first.page.parent)
        assert path.read_bytes() == twin.read_bytes(), path.name


def test_svg_holds_no_date_and_its_text_as_text(study_report: tuple[Path, ReportResult]) -> None:
    _, result = study_report
    svg = next(path for path in result.figures if path.name == "curves-none.svg").read_text(encoding="utf-8")
    assert "date" not in svg.lower()
    assert ">questions answered</text>" in svg
    assert ">alpha</text>" in svg
    assert ">beta</text>" in svg


def test_a_seed_changes_the_bootstrap_alone(tmp_path: Path) -> None:
    run = study(papers=5).write(tmp_path / "game-00")
    first, second = (make_report([run], out=tmp_path / str(seed), seed=seed).tables["gains"] for seed in (0, 1))
    assert first[["mean", "low", "high"]].equals(second[["mean", "low", "high"]])
    assert set(second["seed"]) == {1}


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    run = study(models=("alpha",), papers=1).write(tmp_path / "game-00")
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(BadInput, match="cannot be written"):
        make_report([run], out=tmp_path / "file")


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")

    def fail() -> None:
        with finished(target) as path:
            path.write_text("ne")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert target.read_text() == "old"


def test_summary_is_short_and_says_what_matters(study_report: tuple[Path, ReportResult]) -> None:
    _, result = study_report
    lines = summary(result.tables, result.page).splitlines()
    assert len(lines) <= 15
    assert lines[0] == "games: 12 ok"
    assert lines[1].split() == ["model", "survey", "first", "card", "final", "card", "gain", "[95%]", "games"]
    assert lines[2].startswith("alpha  none    2.50        ")
    assert "$0.26; 264 calls; tokens 136.8 k in, 2,640 out, 83.3% of the prompt cached" in lines[4]
    assert lines[-1] == f"page: {result.page}"


def test_summary_of_many_models_is_cut(tmp_path: Path) -> None:
    names = [f"model-{place}" for place in range(12)]
    result = make_report([study(models=names, papers=1, replicates=1).write(tmp_path / "game-00")])
    text = summary(result.tables, result.page)
    assert len(text.splitlines()) <= 15
    assert "... and 4 more rows" in text


def test_one_name_for_two_makes_is_said(tmp_path: Path) -> None:
    runs = []
    for number, make in enumerate(("", "", "-changed")):
        made = Made()
        made.game({0: panel(1), 10: panel(2)}, model="m", make=make)
        made.game({0: panel(1), 10: panel(2)}, model=f"other{number}")
        runs.append(made.write(tmp_path / str(number)))
    assert [text for text in make_report(runs[:2], tmp_path / "same").warnings if "changed" in text] == []
    (said,) = (text for text in make_report(runs, tmp_path / "out").warnings if "changed" in text)
    assert said.startswith("Between these runs m changed: ")
