"""The entries for coding agents that come with the project: each loads, names a program, and can reach its models."""

from pathlib import Path

import pytest

from pipelines.config import settings
from solvers.agents.command_settings import LONGEST_WORD, CommandSettings, filled

CONF = Path(__file__).parents[3] / "conf" / "solver"
ENTRIES = sorted(path.stem for path in CONF.glob("*.yaml") if "[command, _self_]" in path.read_text())
VALUES = {"prompt": "PROMPT", "prompt_file": "PROMPT_FILE", "workspace": "/app", "base_url": "BASE", "socket": "SOCKET"}


def loaded(entry: str) -> CommandSettings:
    where = ("models.endpoint.model=openai/x", "models.endpoint.api_base=http://127.0.0.1:9/v1")
    run = settings(["experiment=idea_search", f"solver={entry}", "coder=endpoint", *where])
    assert isinstance(run.solver, CommandSettings)
    return run.solver


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_tells_its_agent_what_to_do_and_where_its_models_are(entry: str) -> None:
    solver = loaded(entry)
    values = VALUES | {"token": "TOKEN", "model": "MODEL", "home": "/home/agent"}
    said = [filled(word, values) for word in (*solver.command, *solver.environment.values())]
    assert any("PROMPT" in word for word in said)
    for wanted in ("BASE", "TOKEN", "MODEL"):
        assert any(wanted in word for word in said), wanted
    assert not any("{" + name + "}" in word for word in said for name in values)
    assert solver.install
    assert solver.base_url.endswith("/v1") == (solver.api == "openai")
    assert max(map(len, said)) < LONGEST_WORD


def test_the_base_entry_has_every_key() -> None:
    import yaml

    written = yaml.safe_load((CONF / "command.yaml").read_text())
    assert set(written) == set(CommandSettings.model_fields)
    known = {name: field.get_default(call_default_factory=True) for name, field in CommandSettings.model_fields.items()}
    del written["command"], known["command"]
    assert written == known
