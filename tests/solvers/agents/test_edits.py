"""Edits in a model's plain text: what they do, and what it is told where they cannot be made."""

import pytest

from solvers.agents.edits import Mistake, applied, drafted
from solvers.workspace.solution import Limits, Solution

CODE = """\
int twice(int x)
{
    int y = x;   
    y += x;
    return y;
}

int thrice(int x)
{
    return y;
}
"""  # noqa: W291
START = Solution(files={"a.c": CODE.encode(), "notes/b.txt": b"b", "blob": b"\xff\x00"})


def edit(name: str, old: str, new: str) -> str:
    return f"FILE: {name}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def whole(name: str, text: str) -> str:
    return f"FILE: {name}\n<<<<<<< WHOLE\n{text}\n>>>>>>> END\n"


def after(reply: str, **more: Limits) -> dict[str, bytes]:
    return applied(START, drafted(reply).edits, {"task.h"}, **more).files


def test_one_place_is_replaced_and_nothing_else() -> None:
    files = after(edit("a.c", "    y += x;\n    return y;", "    return y + x;"))
    assert files["a.c"].decode() == CODE.replace("    y += x;\n    return y;", "    return y + x;")
    assert {name: files[name] for name in ("notes/b.txt", "blob")} == {"notes/b.txt": b"b", "blob": b"\xff\x00"}


def test_white_space_at_the_ends_of_lines_may_differ() -> None:
    files = after(edit("a.c", "    int y = x;\n    y += x;\t", "    int y = 2 * x;"))
    assert b"{\n    int y = 2 * x;\n    return y;" in files["a.c"]


def test_many_files_in_one_reply_new_changed_and_gone() -> None:
    reply = (
        "I think so.</think>\nCHANGE: **a table**\n\n### FILE: `a.c`\n```c\n"
        + edit("a.c", "    y += x;", "    y += z;").partition("\n")[2]
        + "<<<<<<< SEARCH\n    y += z;\n=======\n>>>>>>> REPLACE\n```\n"
        + whole("src/table.c", "```c\nint table[2];\n\n```")
        + edit("new.h", "", "#pragma once")
        + whole("./empty.h", "")
        + "DELETE: notes/b.txt\nDELETE: blob"
    )
    draft = drafted(reply)
    assert draft.about == "a table"
    files = applied(START, draft.edits, ()).files
    assert list(files) == ["a.c", "empty.h", "new.h", "src/table.c"]
    assert b"{\n    int y = x;   \n    return y;" in files["a.c"]
    assert files["src/table.c"] == b"int table[2];\n\n"
    assert (files["new.h"], files["empty.h"]) == (b"#pragma once\n", b"\n")
    assert drafted(whole("a.c", "") + whole("b.c", "") + "FILE: a.c").about == "edits a.c, b.c"


def test_code_may_hold_what_is_not_a_mark() -> None:
    code = "x <<= 7; // <<<<<<< SEARCH here\n// ==============\n/* >>>>>>> */\nFILE: other.c\n```\nCHANGE: none"
    assert after(whole("a.c", code))["a.c"].decode() == code + "\n"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I would rather not say.", "no edit"),
        ("FILE: a.c\nint x;", "no edit"),
        ("thinking: FILE: a.c </think>", "no edit"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "no line FILE: NAME"),
        (
            "FILE: a.c\n<<<<<<< WHOLE\nint x;",
            r"a\.c: a block lacks its line >>>>>>> REPLACE \(or END\); was the reply cut",
        ),
        ("FILE: a.c\n<<<<<<< SEARCH\nint x;\n>>>>>>> REPLACE", r"a\.c: a block lacks its line ======="),
        ("FILE: a.c\n<<<<<<< SEARCH\na\n=======\nb\n" + whole("b.c", ""), r"a\.c: a block lacks its line >>>>>>>"),
        (edit("a.c", "    return y;", "    return 1;"), r"stands 2 times \(lines 5, 10\); add lines"),
        (edit("a.c", "", "x"), "an empty SEARCH"),
        ("FILE: a.c\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE", "an empty SEARCH"),
        (edit("b.c", "a", "x"), r"b\.c: no such file \(there are: a\.c, blob, notes/b\.txt\)"),
        (edit("blob", "a", "x"), "blob: not text"),
        ("DELETE: gone.c", r"gone\.c: no such file"),
        (whole("task.h", ""), r"task\.h: belongs to the task"),
        ("DELETE: task.h", r"task\.h: belongs to the task"),
        (whole("/etc/passwd", ""), "/etc/passwd: an absolute path"),
        (whole("../up.c", ""), r"\.\./up\.c: '\.\.' in a path"),
        (whole("a.c/b.c", ""), r"a\.c: the name of a file and of a folder"),
        (whole("", ""), "no line FILE: NAME"),
        (whole("a//b.c", ""), "not a path of a file"),
        (whole("a/b/c/d/e/f/g/h/i.c", ""), "more than 8 folders deep"),
    ],
)
def test_what_cannot_be_followed_is_told(reply: str, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        after(reply)


def test_a_search_that_fails_shows_the_nearest_lines() -> None:
    with pytest.raises(Mistake) as told:
        after(edit("a.c", "    int z = x;\n    y += x;\n    return z;", "") + edit("a.c", "int thrce(int x)", ""))
    text = str(told.value)
    assert "the nearest are lines 3 to 7:\n        int y = x;   \n        y += x;\n        return y;" in text
    assert "the nearest are lines 8 to 10:\n    int thrice(int x)\n" in text
    with pytest.raises(Mistake, match="nothing like it does"):
        after(edit("a.c", "0123456789", ""))


def test_one_bad_edit_keeps_all_from_being_made() -> None:
    with pytest.raises(Mistake, match="does not stand there"):
        after(whole("new.c", "int x;") + edit("a.c", "nowhere", ""))
    assert "new.c" not in START.files


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(files=3), "more than 3 files"),
        (Limits(file_bytes=len(CODE) + 9), r"new\.c: larger than"),
        (Limits(total_bytes=len(CODE) + 99), "bytes in all"),
    ],
)
def test_limits_are_kept(limits: Limits, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        after(whole("new.c", "x" * 200), limits=limits)
