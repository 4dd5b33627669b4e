"""A desk serves its driver and nobody after it."""

import fcntl
import time
from pathlib import Path

from actors.budget import Caps, Cost, Earlier, Verdict
from actors.desk import GONE, Ask, Desk, Ruling


async def test_no_request_goes_out_once_the_driver_is_dead(tmp_path: Path) -> None:
    """Ray ends the actors of a killed driver seconds later: the next driver may have begun by then."""
    desk = Desk(tmp_path, ("run",), Caps(), Earlier(), time.time())
    asks = [Ask("u", {"start": ("card", 0, 0)}, Cost(1, 0)), Ask("v", {"start": ("card", 0, 0)}, Cost(1, 0))]
    with (tmp_path / "lock").open("wb") as driver:
        fcntl.flock(driver, fcntl.LOCK_EX)
        assert await desk.take([], asks[:1]) == [Ruling(Verdict.GO)]
    assert await desk.take([], asks[1:]) == [Ruling(Verdict.STOP, GONE)]
    await desk.close()
    written = (tmp_path / "journal.jsonl").read_text()
    assert "u\t" in written
    assert "v\t" not in written
