"""The command line itself: help, the composed config, JSON for scripts, what the doctor finds."""

import json
from pathlib import Path

import pytest
import yaml
from conftest import Bench
from loopback import Loopback

from pipelines.cli import console, main

COMMANDS = ("demo", "run", "report", "status", "show", "doctor")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(arguments) == code
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: heuresis {command}" in capsys.readouterr().out


def test_the_top_help_lists_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert [name for name in COMMANDS if f"    {name} " not in said] == []
    assert "2 bad input" in said


def test_an_unknown_option_is_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", "cast=scripted", "--jsn"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --jsn" in capsys.readouterr().err


def test_cfg_prints_the_composed_config_and_writes_nothing(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["cast=scripted", "--cfg", "job", "--resolve", "questions=7", f"outputs={bench.outputs}"]
    config = yaml.safe_load(printed(capsys, "run", *given))
    assert config["questions"] == 7
    assert config["inquisitors"] == ["novice", "adept", "master", "delver", "steady", "rover", "settler"]
    assert config["models"]["master"]["persona"]["skill"] == 0.95
    assert not bench.outputs.exists()


def test_run_and_show_speak_json(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    given = bench.overrides("cast=scripted", "papers=1", "replicates=1", "questions=2", "inquisitors=[adept]")
    found = json.loads(printed(capsys, "run", "--json", *given))
    assert found["units"]["game"] == {"ok": 1, "error": 0, "pending": 0}
    unit = bench.played(bench.writers()[0])[0]
    story = json.loads(printed(capsys, "show", unit, "--json", "--store", str(bench.outputs / "store")))
    assert [turn["t"] for turn in story["rows"]["turns"]] == [1, 2]
    assert sorted(story["ratings"]) == ["fair", "lenient", "patron"]


def test_the_doctor_finds_what_the_game_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = {check["name"]: check for check in json.loads(printed(capsys, "doctor", "--json"))}
    assert {name: found[name]["ok"] for name in ("packages", "embedded model", "papers", "outputs")} == {
        "packages": True,
        "embedded model": True,
        "papers": True,
        "outputs": True,
    }
    assert found["container engine"]["ok"] in (True, None)  # needed by nobody yet
    monkeypatch.setattr("pipelines.doctor.NEEDED", ["ray", "no-such-package"])
    broken = {check["name"]: check for check in json.loads(printed(capsys, "doctor", "--json", code=1))}
    assert broken["packages"]["mend"] == "make setup"


def test_the_live_doctor_asks_each_model_once_and_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with Loopback() as server:
        cast = ["cast=endpoint", "models.endpoint.model=openai/x", f"models.endpoint.api_base={server.url}"]
        assert "model endpoint: answers " in printed(capsys, "doctor", "--live", *cast)
        assert server.total == 1
        server.misbehave("status", status=401)
        said = printed(capsys, "doctor", "--live", *cast, code=1)
        assert "auth" in said
        assert "models.endpoint" in said


def test_what_is_printed_is_neither_wrapped_nor_read_as_markup(capsys: pytest.CaptureFixture[str]) -> None:
    text = "/a/[bold]folder/" + "long " * 40
    console().print(text)
    assert capsys.readouterr().out == text + "\n"
