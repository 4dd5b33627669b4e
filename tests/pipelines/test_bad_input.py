"""Bad input: one line that says what is wrong, where, and what to do; exit code 2; nothing written."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from conftest import Bench

from pipelines.cli import main

Refusal = Callable[[Sequence[str]], str]
SCRIPTED = ("cast=scripted", "replicates=1", "questions=2")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (["inquisitors=[mastr]"], "unknown model 'mastr'; did you mean 'master'?"),
        (["judges=nobody"], "unknown model 'nobody'"),
        (["cast=scriptd"], "unknown cast 'scriptd'; did you mean 'scripted'?"),
        (["cluster=mars"], "unknown cluster 'mars'"),
        (["questons=3"], "unknown setting 'questons'; did you mean 'questions'?"),
        (["cluster.in_fligth=3"], "did you mean 'cluster.in_flight'?"),
        (["+nonsense=3"], "nonsense: unknown key"),
        (["questions=many"], "questions: Input should be a valid integer"),
        (["questions=0"], "questions: Input should be greater than or equal to 1"),
        (["condition=half"], "condition.0: Input should be 'none', 'dummy', 'decoy' or 'full'"),
        (["papers=[bach-normalization]"], "did you mean 'batch-normalization'?"),
        (["papers=1000"], "holds only"),
        (["only.paper=none-such"], "only.paper=none-such: the run has no such paper"),
        (["only.replicate=7"], "only.replicate=7: the run has no such replicate (it has 0)"),
        (["experiment=judge"], "from: must be set"),
        (["experiment=judge", "from=[/nowhere]"], "/nowhere: holds no run"),
        (["cast=endpoint"], "models.endpoint.model: must be set"),
        (["models.novice.persona.skill=2"], "models.novice.persona.skill: Input should be less than or equal to 1"),
        (["models.novice.name=x"], "models.novice: its name is 'x'; make them one"),
        (["+models.novice.extra={api_key: 1}"], "looks like a secret"),
        (["models.novice.extra={n: 3}"], "'n' is not for extra"),
        (["fail_over=0"], "fail_over: must be null, a count from 1, or a fraction between 0 and 1"),
        (["fail_over=1.5"], "must be null, a count from 1"),
        (["budget.calls=0"], "budget.calls: Input should be greater than or equal to 1"),
        (["budget.calls=true"], "budget.calls: Input should be a valid integer"),
        (["budget.euros=1"], "budget.euros"),
        (["cluster.placement=apart"], "cluster.placement: Input should be 'pools' or 'colocated'"),
        (["cluster.needs.judge={GPU: -1}"], "cluster.needs.judge.GPU: Input should be greater than or equal to 0"),
        (["+models.novice.api_base='http://me:secret@host'"], "with no password or query"),
        (["models.novice.api_base='http://host/v1?api_key=secret'"], "with no password or query"),
        (["models.novice.extra={extra_headers: {x: 'Bearer abc'}}"], "looks like a secret"),
        (["models.novice.in_flight=0"], "models.novice.in_flight: Input should be greater than or equal to 1"),
        (["models.novice.modl=x"], "models.novice.modl: unknown key"),
        (["run.dir=/tmp/never", "-m", "questions=2,3"], "two jobs are the same run, or share /tmp/never"),
        (["questions=3", "a b"], "override"),
        (["papers_dir=/nowhere"], "/nowhere: holds no paper"),
    ],
)
def test_a_wrong_word_is_named(bench: Bench, refusal: Refusal, overrides: list[str], says: str) -> None:
    given = [
        one
        for one in SCRIPTED
        if one.split("=")[0] not in {o.split("=")[0] for o in overrides} | judge_has_none(overrides)
    ]
    assert says in refusal(["run", *bench.overrides(*given, *overrides)])
    assert not bench.outputs.exists()


def judge_has_none(overrides: list[str]) -> set[str]:
    return {"replicates", "questions"} if "experiment=judge" in overrides else set()


def test_a_judge_run_takes_no_word_about_games(bench: Bench, refusal: Refusal) -> None:
    said = refusal(["run", "experiment=judge", "from=[x]", "questions=5"])
    assert "questions=5: experiment=judge rates stored games as they are" in said


@pytest.mark.parametrize(
    ("line", "spoiled", "says"),
    [
        ("title:", "titel:", "title: Field required"),
        ("  gap:", "  gapp:", "problem.gap: Field required"),
        ("first_public_date: 2015-02-11", "first_public_date: soon", "first_public_date:"),
        ("id: batch-normalization", "id: other", "the file is called 'batch-normalization'"),
        ("---\n", "", "no front matter"),
        ("title:", "title: [", "front matter is not YAML"),
    ],
)
def test_a_broken_paper_is_named_with_file_and_field(
    bench: Bench, papers_copy: Path, refusal: Refusal, line: str, spoiled: str, says: str
) -> None:
    path = papers_copy / "papers" / "batch-normalization.md"
    text = path.read_text()
    assert line in text
    path.write_text(text.replace(line, spoiled, 1))
    said = refusal(["run", *bench.overrides(*SCRIPTED, f"papers_dir={papers_copy}/papers")])
    assert str(path) in said
    assert says in said


def test_a_survey_that_breaks_an_invariant_is_refused(bench: Bench, papers_copy: Path, refusal: Refusal) -> None:
    path = papers_copy / "surveys" / "batch-normalization.json"
    survey = json.loads(path.read_text())
    survey["versions"]["full"]["dimensions"][0]["name"] += " "
    survey["versions"]["full"]["dimensions"][0]["lines"][0]["family"] += " changed"
    path.write_text(json.dumps(survey))
    said = refusal(["run", *bench.overrides(*SCRIPTED, f"surveys_dir={papers_copy}/surveys")])
    assert f"{path}: full: changed since it was frozen" in said
    path.unlink()
    said = refusal(["run", *bench.overrides(*SCRIPTED, f"surveys_dir={papers_copy}/surveys")])
    assert f"{path}: no survey of paper 'batch-normalization', and scripted players need one" in said


def test_an_output_folder_that_cannot_be_written(tmp_path: Path, refusal: Refusal) -> None:
    (tmp_path / "file").write_text("")
    said = refusal(["run", "cluster=inprocess", *SCRIPTED, f"outputs={tmp_path}/file"])
    assert "cannot be written (Not a directory); set outputs=" in said


def test_status_show_and_report_of_nothing(tmp_path: Path, refusal: Refusal) -> None:
    assert "holds no run" in refusal(["status", str(tmp_path)])
    assert "no store here" in refusal(["show", "game/x", "--store", str(tmp_path / "none")])
    assert str(tmp_path) in refusal(["report", str(tmp_path)])


@pytest.mark.parametrize("bad", ["questions=2,-1,3", "papers=[batch-normalization],[nope]"])
def test_one_bad_job_of_a_sweep_does_not_end_the_others(
    bench: Bench, capsys: pytest.CaptureFixture[str], bad: str
) -> None:
    common = ("cast=scripted", "replicates=1")
    default = () if bad.startswith("papers") else ("papers=1",)
    default += () if bad.startswith("questions") else ("questions=2",)
    assert main(["run", "-m", *bench.overrides(*common, *default, bad)]) == 2
    refused = [line for line in capsys.readouterr().err.splitlines() if line.startswith("heuresis: job ")]
    assert len(refused) == 1
    folders = [path for path in bench.outputs.iterdir() if path.name.startswith("game-")]
    assert len(folders) == (2 if bad.startswith("questions") else 1)
    for folder in folders:
        assert set(pd.read_parquet(folder / "tables" / "units.parquet").status) == {"ok"}


def test_a_bug_gets_a_traceback(tmp_path: Path) -> None:
    code = (
        "import pipelines.status as s; s.status = lambda folder: 1 / 0; "
        "from pipelines.cli import main; main(['status', 'x'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError" in done.stderr
