"""A desk serves its driver and nobody after it."""

import fcntl
import time
from pathlib import Path

from actors.budget import Caps, Cost, Earlier, Verdict
from actors.desk import GONE, Ask, Desk, HandedIn, Ruling


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


def learning(unit: str, kind: str, about: str, value: dict[str, float], life: int = 0) -> HandedIn:
    return HandedIn(unit, {"fact": {"kind": kind, "about": about, "value": value}}, life)


async def test_parts_learn_of_each_other_and_a_desk_that_was_started_again_knows_it_still(tmp_path: Path) -> None:
    first, second = {"baseline": 2.0}, {"baseline": 3.0}
    desk = Desk(tmp_path, ("run",), Caps(), Earlier(), time.time())
    facts = [learning("u#b01.node", "anchors", "key", first), learning("u#b02", "anchors", "another", second)]
    await desk.take([*facts, learning("v", "anchors", "key", second), learning("u", "execution", "key", second)], [])
    await desk.drop("u", 1)
    await desk.take([learning("u#b03", "anchors", "key", second)], [])  # of the life that is over: it is late
    for known in (desk, Desk(tmp_path, ("run",), Caps(), Earlier(), time.time())):
        assert await known.learnt("u", "anchors", "key") == [first]
        assert await known.learnt("u", "anchors", "nobody") == []
        assert await known.recall("u", "b01.node") == [{"fact": {"kind": "anchors", "about": "key", "value": first}}]
        await known.close()
