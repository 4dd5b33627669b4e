"""An actor's way to the desk has an end, whatever is wrong with the desk."""

import asyncio
from typing import Any

import pytest

from actors.amount import Amount
from actors.channel import Channel
from actors.desk import Ruling
from actors.errors import BadInput


class Gone:
    """A pool whose desk cannot be reached, for a reason that is not a lost actor."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def call(self, method: Any, route: str | None, *args: Any) -> list[Ruling]:
        raise self.error


@pytest.mark.parametrize("error", [BadInput("no actor for Desk within 300 s"), ZeroDivisionError("a bug")])
async def test_whoever_waits_for_the_desk_is_told_what_is_wrong(error: Exception) -> None:
    channel = Channel(Gone(error), 0.0)
    kept = channel.hand_in("u", {})
    waits = [channel.start("u", {}, Amount(tokens=1)), channel.again("v", Amount(tokens=1), True), kept]
    async with asyncio.timeout(10):
        assert await asyncio.gather(*waits, return_exceptions=True) == [error] * 3
