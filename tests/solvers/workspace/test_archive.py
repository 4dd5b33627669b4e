"""A tar is read as tarfile and GNU tar write it, to its end, and never beyond what one member may be."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from solvers.workspace.archive import Member, Refused, members

LONG = "folder/" + "n" * 120 + "/" + "é" * 70 + ".c"


def tar(*made: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for member, content in made:
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def info(name: str, length: int = 0, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.type = length, kind
    return member


def raw(name: bytes, size: bytes, kind: bytes = b"0") -> bytes:
    """A header with a right checksum, whatever it says."""
    block = bytearray(name.ljust(100, b"\0") + b"0000644\0" * 3 + size.ljust(12, b"\0") + b"0" * 12 + b" " * 8 + kind)
    block += b"\0" * (512 - len(block))
    block[257:265] = b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def extended(record: bytes, kind: bytes = b"x") -> bytes:
    return raw(b"h", b"%o" % len(record), kind) + record.ljust(512, b"\0")


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names_as_python_writes_them(form: int) -> None:
    data = tar((info(LONG, 3), b"abc"), (info("folder", kind=tarfile.DIRTYPE), b""), (info("b"), b""), form=form)
    assert list(members(data, 3)) == [
        Member(LONG.encode(), b"abc"),
        Member(b"folder/", None),
        Member(b"b", b""),
    ]


@pytest.mark.parametrize("form", ["gnu", "pax", "ustar", "v7", "oldgnu"])
def test_what_gnu_tar_writes(form: str, tmp_path: Path) -> None:
    name = "a/" * 3 + "b" * 90 + ".c" if form != "v7" else "a/a/a/b.c"
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(b"x" * 700)
    data = subprocess.run(
        ["tar", "-cf-", f"--format={form}", "a"], cwd=tmp_path, capture_output=True, check=True
    ).stdout
    assert list(members(data, 700))[-1] == Member(name.encode(), b"x" * 700)


def test_the_prefix_of_a_ustar_name() -> None:
    name = "p" * 80 + "/" + "n" * 80
    assert next(members(tar((info(name), b""), form=tarfile.USTAR_FORMAT), 0)).name == name.encode()


def test_a_file_or_chunks_of_any_size_read_the_same() -> None:
    data = tar((info("a", 600), b"a" * 600), (info("b", 1), b"b"))
    whole = list(members(data, 600))
    assert [member.content for member in whole] == [b"a" * 600, b"b"]
    assert list(members(io.BytesIO(data), 600)) == whole
    for size in (1, 7, 512, 4096):
        assert list(members((data[at : at + size] for at in range(0, len(data), size)), 600)) == whole


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.CHRTYPE, "a character device"),
        (tarfile.BLKTYPE, "a block device"),
        (tarfile.FIFOTYPE, "a FIFO"),
        (b"7", "unknown kind 7"),
        (b"Z", "unknown kind Z"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
    ],
)
def test_kinds_that_no_solution_has(kind: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said):
        list(members(raw(b"it", b"00", kind) + bytes(1024), 100))


def test_sparse_members_in_every_format(tmp_path: Path) -> None:
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(1 << 30)
    for form in ("--format=gnu", "--format=pax", "--sparse-version=0.0", "--sparse-version=0.1"):
        more = [form, *(["--format=pax"] if "version" in form else [])]
        made = subprocess.run(["tar", "-cSf-", *more, "holes"], cwd=tmp_path, capture_output=True, check=True)
        with pytest.raises(Refused, match="sparse"):
            list(members(made.stdout, 1 << 40))


def test_sizes_are_not_believed() -> None:
    for size in (b"00000000145", b"77777777777", b"\x80" + b"\xff" * 11):
        with pytest.raises(Refused, match="big: larger than 100 bytes"):
            list(members(raw(b"big", size), 100))
    assert next(members(raw(b"fits", b"00000000144") + bytes(512), 100)).content == bytes(100)
    with pytest.raises(Refused, match="no number"):
        list(members(extended(b"11 size=-1\n") + raw(b"a", b"0"), 100))
    with pytest.raises(Refused, match="larger than 100"):
        list(members(extended(b"20 size=99999999999\n") + raw(b"a", b"0"), 100))
    assert next(members(extended(b"9 size=3\n") + raw(b"a", b"0") + b"abc" + bytes(509), 100)).content == b"abc"
    with pytest.raises(Refused, match="a number in a header is none"):
        list(members(raw(b"a", b"\xff" * 12), 100))
    with pytest.raises(Refused, match="a folder with content"):
        list(members(raw(b"a", b"1", b"5"), 100))


def test_nothing_beyond_a_refused_size_is_read() -> None:
    def endless() -> Iterator[bytes]:
        yield raw(b"big", b"77777777777")
        raise AssertionError("read on")

    with pytest.raises(Refused):
        list(members(endless(), 100))


def test_extended_headers_are_bounded_and_checked() -> None:
    with pytest.raises(Refused, match="an extended header of 8589934591 bytes"):
        list(members(raw(b"a", b"77777777777", b"x"), 100))
    for record in (b"11 path=abc", b"99 path=abc\n", b"0 path=abc\n", b"x path=abc\n", b"9 pathabc\n", b"5"):
        with pytest.raises(Refused, match="damaged"):
            list(members(extended(record) + raw(b"a", b"0"), 100))
    good = extended(b"12 path=abc\n")
    assert next(members(good + raw(b"a", b"0"), 100)).name == b"abc"
    with pytest.raises(Refused, match="two extended headers"):
        list(members(good + good, 100))
    with pytest.raises(Refused, match="cut short"):
        list(members(good + bytes(1024), 100))


def test_global_headers_may_comment_and_not_rename() -> None:
    harmless = extended(b"12 comment=\n", b"g")
    assert next(members(harmless * 8 + raw(b"a", b"0"), 100)).name == b"a"
    with pytest.raises(Refused, match="global headers"):
        list(members(harmless * 9, 100))
    with pytest.raises(Refused, match="global headers"):
        list(members(extended(b"12 path=abc\n", b"g"), 100))


def test_a_tar_that_is_cut_anywhere_is_refused() -> None:
    data = tar((info(LONG, 600), b"a" * 600), (info("b"), b""))
    end = data.rindex(b"ustar") - 257 + 512
    assert [member.content for member in members(data[: end + 512], 600)] == [b"a" * 600, b""]
    for length in range(0, end + 512, 64):
        with pytest.raises(Refused, match="cut short"):
            list(members(data[:length], 600))


@settings(max_examples=200, deadline=None)
@given(some.lists(some.tuples(some.integers(0, 3071), some.integers(0, 255)), min_size=1, max_size=3))
def test_damage_is_refused_or_harmless(damage: list[tuple[int, int]]) -> None:
    data = bytearray(tar((info("é" * 60, 30), b"a" * 30), (info("b"), b"")))
    for at, byte in damage:
        data[at] = byte
    try:
        read = [member.name for member in members(bytes(data), 1000)]
    except Refused as error:
        read = [str(error)]
    assert len(read) <= 2
