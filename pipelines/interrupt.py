"""Ctrl-C and SIGTERM: the first lets a run stop gently, the second stops it at once."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def numbers() -> tuple[signal.Signals, ...]:
    """The signals that are ours: only the main thread gets any; a run in another is its owner's to stop."""
    return SIGNALS if threading.current_thread() is threading.main_thread() else ()


def raise_when_interrupted() -> None:
    """SIGTERM is as Ctrl-C: a KeyboardInterrupt, whatever Ray would make of it."""
    for number in numbers():
        signal.signal(number, signal.default_int_handler)


@contextmanager
def gently(stop: Callable[[], None]) -> Iterator[None]:
    """Inside a task: the first signal calls ``stop``, the second cancels the task, which ends in KeyboardInterrupt."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    count = 0

    def interrupt() -> None:
        nonlocal count
        count += 1
        if count == 1:
            stop()
        elif task is not None:
            task.cancel()

    for number in numbers():
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if count < 2:
            raise
        raise KeyboardInterrupt from None
    finally:
        for number in numbers():
            loop.remove_signal_handler(number)
        raise_when_interrupted()
