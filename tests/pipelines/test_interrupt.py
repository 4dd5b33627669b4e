"""No SIGTERM is lost, wherever it comes."""

import signal
import subprocess
import sys
from contextlib import suppress

from pipelines.interrupt import HEARD, gently, noted

IN_A_FINALISER = """
import os, signal
from pipelines.interrupt import end_when_terminated
end_when_terminated()
class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
Last()
print("went on")
"""


def test_before_a_run_it_ends_the_process_even_where_nothing_can_be_raised() -> None:
    done = subprocess.run([sys.executable, "-c", IN_A_FINALISER], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "heuresis: interrupted before anything began; the same command begins it\n"


async def test_one_that_was_swallowed_stops_the_run_as_it_begins() -> None:
    stopped: list[str] = []
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        with suppress(KeyboardInterrupt):  # as a finaliser would
            noted(signal.SIGTERM, None)
        with gently(lambda: stopped.append("gently")):
            assert stopped == ["gently"]
        with gently(lambda: stopped.append("again")):
            assert stopped == ["gently"]
    finally:
        HEARD.clear()
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
