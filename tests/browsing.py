"""A headless Chromium, spoken to by the DevTools protocol: for tests of pages.

Skipped where there is no Chromium, unless HEURESIS_REQUIRE_BROWSER=1.
"""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0"),
)


class Tab:
    """One tab, spoken to by the DevTools protocol; ``events`` keeps what it reports."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.events: list[dict[str, Any]] = []
        self.sent = 0

    async def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The result of one command; events that come before it are kept."""
        self.sent += 1
        await self.socket.send_json({"id": self.sent, "method": method, "params": params})
        while True:
            message = await self.socket.receive_json(timeout=30)
            if message.get("id") == self.sent:
                assert "error" not in message, message
                return dict(message["result"])
            self.events.append(message)

    async def value(self, expression: str) -> Any:
        """What a JavaScript expression comes to."""
        found = await self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def open(self, page: Path, width: int, dark: bool) -> None:
        """Loads ``page`` at a width in CSS pixels and waits until it is quiet."""
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")
        await self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.ask("Emulation.setEmulatedMedia", features=[scheme])
        await self.ask("Page.navigate", url=page.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(await self.socket.receive_json(timeout=30))
        await self.value("new Promise(done => setTimeout(done, 300))")

    def requests(self) -> list[str]:
        """Every address that was asked for."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self) -> list[dict[str, Any]]:
        """Console lines, exceptions, and the browser's own errors and warnings (such as a broken security policy)."""
        methods = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event["method"] in methods]


def chromium() -> str:
    """The browser's path; skips or fails without one."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("HEURESIS_REQUIRE_BROWSER") == "1":
        pytest.fail("HEURESIS_REQUIRE_BROWSER=1, but there is no Chromium: apt-get install chromium")
    if found is None:
        pytest.skip("no Chromium here; install chromium to run this test")
    return found


@asynccontextmanager
async def tab(profile: Path) -> AsyncIterator[Tab]:
    """A tab of a headless browser with a new profile; the browser is gone afterwards."""
    command = [chromium(), *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port = await _port(profile / "DevToolsActivePort", process)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as reply:
                pages = [target for target in await reply.json() if target["type"] == "page"]
            async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                yield Tab(socket)
                await socket.send_json({"id": 0, "method": "Browser.close"})
        process.wait(timeout=20)
    finally:
        process.kill()
        process.wait()


async def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    for _ in range(300):
        if file.is_file() and file.read_text().strip():
            return int(file.read_text().splitlines()[0])
        assert process.poll() is None, f"the browser ended with {process.returncode}"
        await asyncio.sleep(0.1)
    raise AssertionError("the browser did not open its port in 30 s")
