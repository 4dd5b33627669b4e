"""Ctrl-C and SIGTERM: the first lets a run stop gently, the second stops it at once.

What a signal raises is lost where Python cannot pass it on: in a finaliser, or in a callback of an import. So before
there is anything to tidy up SIGTERM raises nothing; later it is also noted, and a run that begins looks.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
HEARD = threading.Event()  # a SIGTERM has come that nobody may have felt


def numbers() -> tuple[signal.Signals, ...]:
    """The signals that are ours: only the main thread gets any; a run in another is its owner's to stop."""
    return SIGNALS if threading.current_thread() is threading.main_thread() else ()


def raise_when_interrupted() -> None:
    """SIGTERM is as Ctrl-C: a KeyboardInterrupt, whatever Ray would make of it."""
    for number in numbers():
        signal.signal(number, signal.default_int_handler if number is signal.SIGINT else noted)


def noted(number: int, frame: FrameType | None) -> None:
    """A KeyboardInterrupt, and a note of it."""
    HEARD.set()
    raise KeyboardInterrupt


def end_when_terminated() -> None:
    """SIGTERM ends this process there and then, with the exit code of an interruption: nothing is under way yet."""
    if numbers():
        signal.signal(signal.SIGTERM, ended)


def ended(number: int, frame: FrameType | None) -> None:
    """Past every handler and finaliser: a stream that is being written to may not be entered again."""
    os.write(2, b"heuresis: interrupted before anything began; the same command begins it\n")
    os._exit(130)


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
    if HEARD.is_set():
        HEARD.clear()
        interrupt()
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
