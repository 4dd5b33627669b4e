"""An OpenAI-compatible endpoint on loopback whose words a test writes: a function from the request's body to a text."""

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

Json = dict[str, Any]


class Talker:
    """The endpoint, in a thread of its own for as long as the block lasts. bodies: what it was asked.

    ``say`` gives the words of a reply, or the HTTP status of a refusal.
    """

    def __init__(self, say: Callable[[Json], str | int]) -> None:
        self._say = say
        self.bodies: list[Json] = []
        self._up = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._up.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._reply)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        self._loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._up.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _reply(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        said = self._say(body)
        if isinstance(said, int):
            return web.json_response({"error": {"message": "refused on demand"}}, status=said)
        choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return web.json_response({"choices": [choice], "usage": usage, "model": body["model"]})
