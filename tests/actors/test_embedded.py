"""The bundled model on a real server: one for all processes, replaced when killed, gone when nobody needs it."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors import embedded
from actors.dialogue import AnswerReply, CardReply, QuestionReply, card_view, question_view
from actors.embedded_server import GRACE_SECONDS, POLL_SECONDS
from actors.endpoint import EndpointModel
from actors.errors import BadInput, ErrorKind, UnitFault
from actors.model import Kind, Spec
from actors.paper import Problem
from actors.prompt import Request
from actors.row import Row

ROOT = Path(__file__).parents[2]
PROBLEM = Problem(domain="codecs", goal="small files", challenge="slow decoders", gap="no table does it")
SPEC = Spec(
    name=embedded.NAME, family="smollm", kind=Kind.EMBEDDED, max_tokens=1024, max_chars=40, send_seed=True, tries=4
)

Reset = Callable[[], None]


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Servers of this test's own, however many others run here."""
    folder = tmp_path_factory.mktemp("embedded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", None)
        forget_all()
        yield folder
        forget_all()


def forget_all() -> None:
    """As if this process had never used a server: its lock is given back."""
    if embedded.server.cache_info().currsize and (lock := embedded.server()._user):
        lock.close()
    embedded.server.cache_clear()
    embedded.place.cache_clear()


def question(seed: int = 0) -> Request:
    return Request("question", question_view(PROBLEM, None, (), "", None), QuestionReply, 1.0, seed)


def card() -> Request:
    return Request("card", card_view(PROBLEM, ()), CardReply, 1.0)


async def ask(request: Request) -> Row:
    """A reply that has the shape asked for."""
    reply = await embedded.embedded_model(SPEC).complete(request)
    assert (reply.error, reply.finish_reason) == (None, "stop")
    assert reply.prompt_tokens
    assert reply.cached_tokens is not None
    return request.reply.model_validate_json(reply.text or "")


def running(folder: Path) -> list[int]:
    """Every server that was started under ``folder``."""
    return [
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and embedded.serves(int(path.name), embedded.place()) and str(folder) in command(path)
    ]


def command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def wait(done: Callable[[], bool], seconds: float) -> bool:
    """Whether it comes true in time."""
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.1)
    return done()


def other(code: str) -> subprocess.Popen[str]:
    """Another process that knows `embedded`."""
    whole = f"import asyncio, time\nfrom actors import embedded\n{code}"
    return subprocess.Popen([sys.executable, "-c", whole], cwd=ROOT, stdout=subprocess.PIPE, text=True)


async def test_replies_have_the_shape_that_was_asked_for(temporary: Path) -> None:
    said = await asyncio.gather(*[ask(question(seed)) for seed in range(3)], ask(card()))
    assert all(len(reply.question) <= 40 for reply in said if isinstance(reply, QuestionReply))
    assert isinstance(said[3], CardReply)
    assert len(running(temporary)) == 1


async def test_processes_share_one_server(temporary: Path) -> None:
    mine = await embedded.address()
    others = [other("print(asyncio.run(embedded.address()))") for _ in range(2)]
    assert [process.communicate()[0].strip() for process in others] == [mine, mine]
    assert len(running(temporary)) == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_killed_server_is_replaced_at_the_next_call(temporary: Path, number: signal.Signals) -> None:
    before = await embedded.address()
    (pid,) = running(temporary)
    os.kill(pid, number)
    assert wait(lambda: running(temporary) == [], 5)
    await ask(question())
    assert await embedded.address() != before
    assert len(running(temporary)) == 1


async def test_it_is_reached_past_a_proxy(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "example.org")
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    await ask(question(5))
    assert os.environ["NO_PROXY"] == "example.org,127.0.0.1"


async def test_a_killed_user_leaves_no_server_behind(temporary: Path) -> None:
    forget_all()
    assert wait(lambda: running(temporary) == [], 10)
    process = other("print(asyncio.run(embedded.address()), flush=True)\ntime.sleep(60)")
    with process:
        assert process.stdout
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        assert len(running(temporary)) == 1
        time.sleep(GRACE_SECONDS + 2 * POLL_SECONDS)
        assert len(running(temporary)) == 1  # in use, even if nothing is asked
        process.kill()
    assert wait(lambda: running(temporary) == [], 10)
    assert not (embedded.place() / "address").exists()


def test_a_machine_that_cannot_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGES", ("xllamacpp", "no-such-package"))
    with pytest.raises(BadInput, match="needs the package no-such-package, which is not here; install"):
        embedded.parameters()


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import sys; print('loading', file=sys.stderr); sys.exit('no memory')", UnitFault),
        ("import no_such_library", BadInput),
    ],
)
def test_a_server_that_dies_says_why(
    tmp_path: Path, code: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = subprocess.Popen

    def broken(_: list[str], **more: Any) -> subprocess.Popen[bytes]:
        return popen([sys.executable, "-c", code], **more)

    monkeypatch.setattr(subprocess, "Popen", broken)
    server = embedded.Server(tmp_path)
    with pytest.raises(error, match=r"did not start \(.*(no memory|no_such_library)") as caught:
        server.url()
    if server._user:
        server._user.close()
    assert str(tmp_path / "server.log") in str(caught.value)
    assert getattr(caught.value, "kind", ErrorKind.CONNECTION) is ErrorKind.CONNECTION


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / f"heuresis-{os.getuid()}").mkdir()
    real = os.getuid()
    monkeypatch.setattr(os, "getuid", iter([real, real + 1]).__next__)
    embedded.place.cache_clear()
    with pytest.raises(BadInput, match="belongs to somebody else; set TMPDIR"):
        embedded.place()
    embedded.place.cache_clear()


def test_the_model_keeps_its_name(temporary: Path) -> None:
    model = embedded.embedded_model(SPEC)
    assert isinstance(model, EndpointModel)
    assert (model.spec.name, model.spec.model) == ("SmolLM2-135M-Instruct-Q4_1", f"openai/{embedded.NAME}")


async def test_it_answers_within_the_labels(temporary: Path) -> None:
    replies = [await ask(Request("card", card_view(PROBLEM, ()), AnswerReply, 0.0, seed)) for seed in range(2)]
    assert replies[0] == replies[1]
