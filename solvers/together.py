"""Several things at once, of which all end before any error is told: what was paid for is then on disk."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from actors.channel import Stopped
from actors.errors import UnitFault

T = TypeVar("T")


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results, in order. Of several errors a bug is told first, then that the run stopped, then a unit's fault."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        if tasks:
            await asyncio.wait(tasks)
    finally:  # where this is cancelled itself
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    raised = [one for one in ended if isinstance(one, BaseException)]
    for error in sorted(raised, key=weight):
        raise error
    return [one for one in ended if not isinstance(one, BaseException)]


def weight(error: BaseException) -> int:
    """Which of several errors is told: the smallest."""
    if isinstance(error, Stopped):
        return 1
    return 2 if isinstance(error, UnitFault) else 0
