"""Numbers for branches of one node: each has one of its own, and with it a user id that nobody else on the node has.

Guarded: two branches of any runs on this node that see the same folder of lock files; the kernel frees a number with
the process that holds it. Not guarded: runs that see other folders (see solvers/measuring/cores.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actors.errors import BadInput
from solvers.measuring.cores import open_lock, release, taken

MOST = 1000


@contextmanager
def own_number(folder: Path) -> Iterator[int]:
    """The lowest number from 1 that is free on this node, for as long as the block lasts."""
    for number in range(1, MOST):
        file = open_lock(folder / f"branch-{number}")
        if taken(file):
            break
        release(file)
    else:
        raise BadInput(f"{folder}: {MOST - 1} branches are under way on this node; end some, or remove old lock files")
    try:
        yield number
    finally:
        release(file)
