"""What the tests of endpoints share: requests, specs, and an endpoint that always says the same."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from loopback import Loopback

from actors.dialogue import AnswerReply, QuestionReply, Turn, answer_view, question_view
from actors.endpoint import EndpointModel
from actors.model import Reply, Spec
from actors.paper import Problem, Solution
from actors.prompt import Request

PROBLEM = Problem(domain="codecs", goal="small files", challenge="slow decoders", gap="no table does it")
SOLUTION = Solution(contribution="a table", approach="a tree", components=("tests", "leaves"), novelty="no products")
KEY = "sk-very-secret-0123456789"
NOBODY = "http://127.0.0.1:9/v1"


def question(number: int = 0, history: tuple[Turn, ...] = ()) -> Request:
    return Request("question", question_view(PROBLEM, None, history, "", None), QuestionReply, 1.0, number)


def answer(said: str = "A tree?") -> Request:
    return Request("answer", answer_view(SOLUTION, "We use a table.", "It is small.", said), AnswerReply, 0.0)


def spec(base: str | None, **more: Any) -> Spec:
    own: dict[str, Any] = {"name": "m", "family": "test", "model": "openai/m", "tries": 3, "send_seed": True}
    return Spec(**{**own, "api_base": base, **more})


async def ask(server: Loopback, request: Request | None = None, **more: Any) -> Reply:
    return await EndpointModel(spec(server.url, **more)).complete(request or question())


@asynccontextmanager
async def answering(body: bytes, status: int = 200, **headers: str) -> AsyncIterator[str]:
    """The address of an endpoint that says ``body``, whatever it is asked."""

    async def reply(_: web.Request) -> web.Response:
        return web.Response(body=body, status=status, headers={"Content-Type": "application/json", **headers})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", reply)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
