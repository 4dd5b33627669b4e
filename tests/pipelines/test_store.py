"""The store: finished units are known from the index, and the last record counts."""

from pathlib import Path

import orjson
import pytest

from actors.errors import BadInput, ErrorKind
from actors.model import Reply
from actors.record import Record
from actors.recorded import Call
from pipelines.journals import Journals
from pipelines.store import Store, Writer


def call(turn: int, text: str = "x", attempt: int = 0) -> Call:
    reply = Reply(text=text, latency=0.0)
    return Call(seat="card", turn=turn, attempt=attempt, round=0, caller="m", prompt="p", reply=reply, started_at=0.0)


def record(unit: str, text: str = "x", status: str = "ok", round: int = 0) -> Record:
    kind = None if status == "ok" else ErrorKind.INVALID
    return Record(
        unit=unit, status=status, error_kind=kind, round=round, rows={"cards": [{"t": 0}]}, calls=[call(0, text)]
    )


def test_a_finished_unit_is_found_by_the_next_driver(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.finish([record("a"), record("b", text="ünï")])
    writer.close()
    store = Store(tmp_path)
    assert store.record("b") == record("b", text="ünï").model_copy(
        update={"finished_at": store.record("b").finished_at, "host": store.record("b").host}
    )
    assert store.plain("a")["calls"][0]["reply"]["text"] == "x"
    assert store.finished("c") is None


def test_a_torn_index_line_is_as_if_the_unit_had_not_ended(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.finish([record("a"), record("b")])
    writer.close()
    index = next(tmp_path.glob("*/index.jsonl"))
    index.write_bytes(index.read_bytes()[:-5])
    store = Store(tmp_path)
    assert store.finished("a") is not None
    assert store.finished("b") is None


def test_what_another_driver_adds_is_read_once_and_a_torn_line_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[str] = []
    store = Store(tmp_path)
    enter = store.enter
    monkeypatch.setattr(store, "enter", lambda entry: (entered.append(entry.unit), enter(entry)))
    writer = Writer(Store(tmp_path))
    writer.finish([record("a"), record("b")])
    store.refresh()
    writer.finish([record("c")])
    index = next(tmp_path.glob("*/index.jsonl"))
    whole = index.read_bytes()
    index.write_bytes(whole[:-5])
    store.refresh()
    assert (entered, store.finished("c")) == (["a", "b"], None)
    index.write_bytes(whole)
    store.refresh()
    store.refresh()
    assert entered == ["a", "b", "c"]
    assert store.record("c").unit == "c"
    writer.close()
    store.refresh()
    assert entered == ["a", "b", "c"]


def test_a_writer_is_alive_until_it_is_closed(tmp_path: Path) -> None:
    writer, store = Writer(Store(tmp_path)), Store(tmp_path)
    assert store.alive(writer.name)
    writer.finish([record("a")])
    writer.close()
    assert not store.alive(writer.name)
    assert not store.alive("nobody")
    assert sorted(path.name for path in writer.folder.iterdir()) == ["finished.jsonl", "index.jsonl"]


def test_a_writer_knows_its_own_lines_without_reading_them(tmp_path: Path) -> None:
    store = Store(tmp_path)
    writer = Writer(store)
    writer.finish([record("a")])
    (writer.folder / "index.jsonl").write_bytes(b"rubbish\n")
    store.refresh()
    assert store.finished("a") is not None
    writer.close()


def test_the_index_knows_what_a_unit_cost_and_what_is_not_known_of_it(tmp_path: Path) -> None:
    def replied(unit: str, *replies: Reply) -> Record:
        calls = [call(turn).model_copy(update={"reply": reply}) for turn, reply in enumerate(replies)]
        return record(unit).model_copy(update={"calls": calls})

    priced = Reply(text="x", latency=0.0, prompt_tokens=3, completion_tokens=2, cached_tokens=0, cost=0.5)
    lost = Reply(text=None, latency=0.0)
    free = priced.model_copy(update={"cost": None})
    writer = Writer(Store(tmp_path))
    writer.finish([replied("a", priced, lost, priced), replied("b", priced, free), replied("c")])
    writer.close()
    entries = [Store(tmp_path).finished(unit) for unit in "abc"]
    assert [entry and entry.spent for entry in entries] == [(3, 6, 4, 0, 1.0), (2, 6, 4, 0, None), (0, 0, 0, 0, 0)]


def test_two_drivers_write_beside_each_other(tmp_path: Path) -> None:
    one, two = Writer(Store(tmp_path)), Writer(Store(tmp_path))
    one.finish([record("a", "one"), record("c", "one")])
    two.finish([record("b", "two"), record("c", "two")])
    one.close()
    two.close()
    store = Store(tmp_path)
    assert [store.record(unit).calls[0].reply.text for unit in "abc"] == ["one", "two", "two"]


def test_a_driver_that_had_nothing_to_keep_leaves_nothing(tmp_path: Path) -> None:
    Writer(Store(tmp_path)).close()
    assert list(tmp_path.iterdir()) == []


def test_a_judging_is_open_again_when_its_game_was_played_again(tmp_path: Path) -> None:
    def game(contribution: str) -> Record:
        return record("g").model_copy(update={"rows": {"cards": [{"t": 0, "contribution": contribution}]}})

    def judging(of: Record) -> Record:
        return record("j").model_copy(update={"parent": "g", "parent_digest": of.digest})

    writer = Writer(Store(tmp_path))
    writer.finish([game("one"), judging(game("one"))])
    writer.close()
    assert Store(tmp_path).finished("j") is not None
    another = Writer(Store(tmp_path))
    another.finish([game("two")])
    store = Store(tmp_path)
    assert store.finished("j") is None
    assert store.units() == ["g"]
    assert len(Journals(store, ["j"]).recorded("j").calls) == 1  # what it had paid for may still serve
    another.finish([judging(game("two"))])
    another.close()
    assert Store(tmp_path).finished("j") is not None


@pytest.mark.parametrize("content", [b"rubbish\n", b"[1, 2]\n", b"3\n"])
def test_a_damaged_index_is_named(tmp_path: Path, content: bytes) -> None:
    writer = Writer(Store(tmp_path))
    writer.finish([record("a")])
    writer.close()
    index = next(tmp_path.glob("*/index.jsonl"))
    index.write_bytes(index.read_bytes() + content)
    with pytest.raises(BadInput, match="line 2 is damaged"):
        Store(tmp_path)


def test_an_index_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.finish([record("a")])
    writer.close()
    index = next(tmp_path.glob("*/index.jsonl"))
    index.write_bytes(orjson.dumps(orjson.loads(index.read_bytes())[:-1]) + b"\n")
    entry = Store(tmp_path).finished("a")
    assert entry is not None
    assert (entry.status, entry.spent) == ("ok", None)


def test_a_record_that_is_gone_is_named(tmp_path: Path) -> None:
    writer = Writer(Store(tmp_path))
    writer.finish([record("a")])
    writer.close()
    next(tmp_path.glob("*/finished.jsonl")).write_bytes(b"")
    with pytest.raises(BadInput, match="a is damaged"):
        Store(tmp_path).plain("a")
