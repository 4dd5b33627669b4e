"""A solution is its files, whichever way they came; what is not a small regular file never gets in."""

import io
import json
import os
import pickle
import socket
import tarfile
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pydantic import ValidationError

from actors.errors import Fault
from actors.row import parse
from solvers.workspace.solution import Limits, Refused, Solution, read_folder, read_tar, to_tar

TWO = Solution(files={"b.c": b"int b;\n", "a/a.h": b"\x00\xff"})
# printf of each length (8 bytes, highest first) and piece, through sha256sum
TWO_HASH = "bdf4291e1132b2580ecc7682ae85ab98af9ebb9ae56c63523c806fbf4c53793d"
PARTS = some.text(
    some.characters(codec="utf-8", exclude_characters="/", exclude_categories=["C", "Z"]), min_size=1, max_size=60
)


def tar(names: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in names.items():
            member = tarfile.TarInfo(name)
            member.size, member.type, member.mtime, member.uid = len(content), kind, 12345, 77
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def put(folder: Path, names: dict[str, bytes]) -> Path:
    for name, content in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def refusal(folder: Path, **limits: int) -> str:
    with pytest.raises(Refused) as refused:
        read_folder(folder, Limits(**limits))
    return str(refused.value)


def test_the_hash_is_of_names_and_contents_alone(tmp_path: Path) -> None:
    folder = put(tmp_path, dict(reversed(TWO.files.items())))
    os.utime(folder / "b.c", (1, 1))
    (folder / "b.c").chmod(0o755)
    (folder / "empty").mkdir()
    solution = read_folder(folder)
    assert list(solution.files) == ["a/a.h", "b.c"]
    assert solution == TWO
    assert solution.hash == TWO.hash == read_tar(tar(TWO.files)).hash
    assert Solution(files={}).hash == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_hash_never_changes_and_borders_count() -> None:
    assert TWO.hash == TWO_HASH
    apart = [{"a": b"bc"}, {"ab": b"c"}, {"a": b"", "bc": b""}, {"a": b"b", "c": b""}, {}]
    assert len({Solution(files=files).hash for files in apart}) == len(apart)


@settings(max_examples=60, deadline=None)
@given(
    some.dictionaries(some.lists(PARTS, min_size=1, max_size=4).map("/".join), some.binary(max_size=700), max_size=5)
)
def test_folder_to_tar_and_back(files: dict[str, bytes]) -> None:
    try:
        made = Solution(files=files)
    except Refused as error:
        assert "a file and of a folder" in str(error) or "'..'" in str(error) or "not a path" in str(error)  # noqa: PT017
        return
    with tempfile.TemporaryDirectory() as folder:
        solution = read_folder(put(Path(folder), files))
    again = read_tar(to_tar(solution))
    assert solution == again == made
    assert solution.hash == again.hash
    assert Solution.model_validate_json(made.model_dump_json()) == made


def test_the_tar_is_always_the_same_and_others_can_read_it() -> None:
    assert to_tar(TWO) == to_tar(Solution(files=dict(reversed(TWO.files.items()))))
    with tarfile.open(fileobj=io.BytesIO(to_tar(TWO))) as archive:
        told = [(m.name, m.mode, m.mtime, m.uid, m.gid, m.uname, m.isfile()) for m in archive]
    assert told == [("a/a.h", 0o644, 0, 0, 0, "", True), ("b.c", 0o644, 0, 0, 0, "", True)]


def test_a_record_shows_text_as_text() -> None:
    assert json.loads(TWO.model_dump_json()) == {"files": {"a/a.h": {"base64": "AP8="}, "b.c": "int b;\n"}}
    assert parse(Solution, TWO.model_dump(mode="json"), "here") == TWO
    assert pickle.loads(pickle.dumps(TWO)) == TWO
    for wrong in ({"base64": "?"}, {"base64": 5}, {"base64": "AA==", "more": 1}, 5):
        with pytest.raises(ValidationError):
            Solution.model_validate({"files": {"a": wrong}})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/etc/passwd", "an absolute path"),
        ("a/../../b", "'..' in a path"),
        ("..", "'..' in a path"),
        ("a//b", "not a path"),
        ("a/./b", "not a path"),
        ("", "not a path"),
        ("a/", "not a path"),
        ("x" * 256, "not a path"),
        ("a\nb", "control characters"),
        ("a\x00b", "control characters"),
        ("a\x7f", "control characters"),
        ("a\u202eb", "control characters"),
        ("a\ud800", "not UTF-8"),
    ],
)
def test_names_that_no_solution_has(name: str, said: str) -> None:
    with pytest.raises(Refused, match=said) as refused:
        Solution(files={name: b""})
    assert str(refused.value).isprintable()
    if name and "\0" not in name and name.isascii():
        with pytest.raises(Refused, match=said):
            read_tar(tar({name: b""}))


def test_a_tar_s_names_that_are_not_utf_8() -> None:
    data = tar({"aXb": b""}).replace(b"aXb", b"a\xffb")
    with pytest.raises(Refused, match="checksum"):
        read_tar(data)
    at = bytearray(data)
    at[148:156] = b"%06o\0 " % (sum(at[:148]) + sum(at[156:512]) + 256)
    with pytest.raises(Refused, match="not UTF-8"):
        read_tar(bytes(at))


def test_a_folder_s_names_that_are_not_utf_8(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff")).write_bytes(b"")
    assert "not UTF-8" in refusal(tmp_path)


def test_links_are_refused(tmp_path: Path) -> None:
    secret = put(tmp_path / "out", {"secret": b"s"}) / "secret"
    for number, (make, said) in enumerate(
        [
            (lambda at: at.symlink_to(secret), "it: a symbolic link"),
            (lambda at: at.symlink_to(secret.parent), "it: a symbolic link"),
            (lambda at: at.symlink_to("nowhere"), "it: a symbolic link"),
            (lambda at: at.hardlink_to(secret), "it: a hard link, a file with 2 names"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        make(folder / "it")
        assert said in refusal(folder)
        (folder / "it").unlink()
        assert read_folder(folder).files == {}


def test_special_files_are_refused_and_block_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert refusal(tmp_path) == "fifo: a FIFO, not a regular file"
    (tmp_path / "fifo").unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        assert refusal(tmp_path) == "s: a socket, not a regular file"
    assert "null: a character device" in refusal_of_devices()


def refusal_of_devices() -> str:
    """What /dev holds first depends on the system: one of its devices is asked for by itself."""
    from solvers.workspace.solution import Gathered, _entry

    folder = os.open("/dev", os.O_RDONLY)
    try:
        with pytest.raises(Refused) as refused:
            _entry(folder, "null", "null", Gathered(Limits()))
    finally:
        os.close(folder)
    return str(refused.value)


def test_a_file_that_turns_into_a_link_while_we_read_gives_nothing_away(tmp_path: Path) -> None:
    """Whoever wins the race: the content is a file's of this folder, or the folder is refused."""
    put(tmp_path, {"out": b"secret", "in/it": b"mine"})
    at, other = tmp_path / "in" / "it", tmp_path / "link"
    other.symlink_to(tmp_path / "out")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            other.rename(tmp_path / "third")
            at.rename(other)
            (tmp_path / "third").rename(at)

    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    for _ in range(300):
        try:
            seen |= set(read_folder(tmp_path / "in").files.values())
        except Refused as error:
            assert "it: " in str(error)  # noqa: PT017
    stop.set()
    thread.join()
    assert seen <= {b"mine"}


def test_limits_of_a_folder(tmp_path: Path) -> None:
    folder = put(tmp_path / "in", {"a": b"12345", "b/c/d": b"67890"})
    assert read_folder(folder, Limits(files=2, file_bytes=5, total_bytes=10, depth=3)).files["b/c/d"] == b"67890"
    assert refusal(folder, files=1).endswith(("more than 1 files", "more than 1 folders"))
    assert refusal(folder, file_bytes=4).endswith("larger than 4 bytes")
    assert refusal(folder, total_bytes=9) == "larger than 9 bytes in all"
    assert refusal(folder, depth=2) == "b/c/d: more than 2 folders deep"
    for number in range(201):
        (tmp_path / "many" / str(number)).mkdir(parents=True)
    assert refusal(tmp_path / "many") == "more than 200 folders"
    assert refusal(tmp_path / "none").endswith("none: No such file or directory")
    assert refusal(folder / "a").endswith("a: Not a directory")


def test_a_file_of_holes_is_as_large_as_it_says(tmp_path: Path) -> None:
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(1 << 40)
    assert refusal(tmp_path) == "holes: larger than 4194304 bytes"


def test_limits_of_a_tar() -> None:
    data = tar({"a": b"12345", "b/c/d": b"67890"})
    assert read_tar(data, Limits(files=2, file_bytes=5, total_bytes=10, depth=3)).files["a"] == b"12345"
    wanted = {
        "more than 1 files": Limits(files=1),
        "a: larger than 4 bytes": Limits(file_bytes=4),
        "larger than 9 bytes in all": Limits(total_bytes=9),
        "b/c/d: more than 2 folders deep": Limits(depth=2),
    }
    for said, limits in wanted.items():
        with pytest.raises(Refused, match=said):
            read_tar(data, limits)
    folders = tar({f"f{number}": b"" for number in range(201)}, tarfile.DIRTYPE)
    with pytest.raises(Refused, match="more than 200 folders"):
        read_tar(folders)


def test_a_name_counts_once() -> None:
    twice = tar({"a": b"1"})[:1024] + tar({"a": b"2"})
    with pytest.raises(Refused, match="a: there twice"):
        read_tar(twice)
    with pytest.raises(Refused, match="a: there twice"):
        read_tar(tar({"a": b"1"})[:1024] + tar({"./a": b"2"}))
    with pytest.raises(Refused, match="a: there twice"):
        read_tar(tar({"a": b""}, tarfile.DIRTYPE)[:512] + tar({"a": b"2"}))
    with pytest.raises(Refused, match="a: the name of a file and of a folder"):
        read_tar(tar({"a": b"1", "a/b": b"2"}))


def test_a_tar_that_a_container_gives_out() -> None:
    folder = tar({"app": b"", "app/sub": b""}, tarfile.DIRTYPE)[:1024]
    data = folder + tar({"app/sub/x.c": b"x"})
    assert read_tar(data, top="app").files == {"sub/x.c": b"x"}
    assert read_tar(data).files == {"app/sub/x.c": b"x"}
    dotted = tar({".": b"", "./sub": b""}, tarfile.DIRTYPE)[:1024] + tar({"./sub/x.c": b"x"})
    assert read_tar(dotted).files == {"sub/x.c": b"x"}
    for outside in ("appendix/x.c", "x.c", "../app/x.c"):
        with pytest.raises(Refused, match="outside app/"):
            read_tar(tar({outside: b""}), top="app")
    with pytest.raises(Refused, match="not a path"):
        read_tar(tar({"app": b""}), top="app")


def test_refused_is_a_fault_that_survives_a_process() -> None:
    error = pickle.loads(pickle.dumps(Refused("a: a FIFO")))
    assert isinstance(error, Fault)
    assert str(error) == "a: a FIFO"
