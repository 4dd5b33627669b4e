"""No two branches of a node have one user id, whoever runs them."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

from solvers.branches.uids import own_number


def hold(folder: Path, said: "multiprocessing.Queue[int]") -> None:
    with own_number(folder) as number:
        said.put(number)
        time.sleep(60)


def test_numbers_are_apart_and_come_back(tmp_path: Path) -> None:
    with own_number(tmp_path) as one, own_number(tmp_path) as two:
        assert (one, two) == (1, 2)
    with own_number(tmp_path) as again:
        assert again == 1


def test_a_killed_process_gives_its_number_back(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    said: multiprocessing.Queue[int] = context.Queue()
    process = context.Process(target=hold, args=(tmp_path, said))
    process.start()
    assert said.get(timeout=30) == 1
    with own_number(tmp_path) as mine:
        assert mine == 2
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    with own_number(tmp_path) as mine:
        assert mine == 1
