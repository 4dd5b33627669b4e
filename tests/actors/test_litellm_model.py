"""What is LiteLLM's own: the usual variables for keys, names that it rewrites, and that it is offline and quiet."""

import logging
import os
import subprocess
import sys

import pytest
from asking import KEY, ask, question, spec
from loopback import Loopback, Trouble

from actors.endpoint import EndpointModel
from actors.model import Client


async def test_a_key_from_the_usual_variable_is_sent_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=401, message=f"Incorrect API key: {KEY}\nsee the manual")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        reply = await EndpointModel(spec(None)).complete(question())
        assert server.endpoint.headers["Authorization"] == f"Bearer {KEY}"
    assert reply.error
    assert "Incorrect API key: *** see the manual" in reply.error


@pytest.mark.parametrize("model", ["openai/gpt-5.4", "openai/o3"])
async def test_models_that_take_no_max_tokens_are_left_to_litellm(model: str) -> None:
    with Loopback() as server:
        await ask(server, model=model, max_tokens=7)
        sent = server.bodies[0]
    assert (sent["max_completion_tokens"], "max_tokens" in sent) == (7, False)


def test_importing_the_module_does_not_import_litellm() -> None:
    code = "import sys, actors.litellm_model; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_it_is_offline_and_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    with Loopback() as server:
        server.misbehave(Trouble.STATUS, status=400, times=1)
        await ask(server, client=Client.LITELLM)
    assert capfd.readouterr() == ("", "")
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert logging.getLogger("LiteLLM").level == logging.CRITICAL
