"""Layout does not make new code; whatever else differs does."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as some

from actors.errors import BadInput
from solvers.workspace.solution import Solution
from solvers.workspace.source import normalised, same_code, tokens

C_SAME = [
    ("int a = 1;", "int\ta=1 ; // one\n"),
    ("int f(void){return 1;}", "/* a\n * b */int f(void)\n{\n  return/**/1;\n}\n"),
    ("a = b+c;", "a = b + c;\r\n"),
    ("int a;", "\ufeffint a;"),
    ("#define A 1\nint b;", "  #  define A 1 // x \n\n\nint b;\n"),
    ("#define A 1 + 2\nx", "#define A 1 \\\n  + 2\nx"),
    ("#define A 1\n", "#define A 1"),
    ("// a \\\n still comment\nint a;", "int a;"),
    ("#define A 1 /* on\n and on */ + 2\nx", "#define A 1 + 2\nx"),
    ("vector<vector<int>> v;", "vector < vector < int > > v;"),
]
C_DIFFERENT = [
    ("int a = 1;", "int a = 2;"),
    ("int a b;", "int ab;"),
    ('f("a b");', 'f("ab");'),
    ('f("/* a */");', 'f("");'),
    ("f('/', '*');", "f('/','+');"),
    ('f("\\"// a");', 'f("\\"// b");'),
    ("'\"' + 1 // '\"'", "'\"' + 2"),
    ("a+++b", "a+ ++b"),
    ("a & &b", "a && b"),
    ("a - -b", "a-- b"),
    ("#define A\nf();", "#define A f();\n"),
    ("#define A 1\n+2", "#define A 1+2\n"),
    ('R"x(a /* b */ )" c)x" 1', 'R"x(a  )" c)x" 1'),
    ('R"(a\n b)"', 'R"(a b)"'),
    ("1'000'000 // '", "1'000'001 // '"),
    ("1e+5", "1e + 5"),
    ('"a" /* not closed', '"b" /* not closed'),
]
RUST_SAME = [
    ("fn f() {} /* a /* b */ c */ fn g() {}", "fn f(){}fn g(){}"),
    ("/// doc\nfn f<'a>(x: &'a u8) -> u8 { *x }", "fn f < 'a > ( x : & 'a u8 )->u8{* x}"),
    ("let v: Vec<Vec<u8>> = 1 .. 2;", "let v: Vec<Vec<u8> >=1..2;"),
    ("match c { '\\'' => 1, '\"' => 2, '/' => 3 } // x", "match c{'\\''=>1,'\"'=>2,'/'=>3}"),
]
RUST_DIFFERENT = [
    ('r#"a " /* b */ "# 1', 'r#"a "  "# 1'),
    ('br##"x"# y"## 1', 'br##"x"#y"## 1'),
    ('"a\n // b\n"', '"a\n"'),
    ('b"a \\" // b"', 'b"a \\" // c"'),
    ("'\"' ; 1 // '\"'", "'\"' ; 2 // '\"'"),
    ("'é'; \" // a\"", "'é'; \" // b\""),
    ("'\\u{1F600}' ' '", "'\\u{1F600}' '\t'"),
    ("let r#fn = 1; /* a */ 2", "let r#fn = 1; 3"),
    ("a && b", "a & b"),
    ("fn f<'a, 'b>()", "fn f<'a, 'c>()"),
]


def one(text: str, language: str) -> Solution:
    return Solution(files={{"c": "a.c", "c++": "a.cpp", "rust": "lib.rs"}[language]: text.encode()})


@pytest.mark.parametrize(("a", "b"), C_SAME)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_layout_of_c_does_not_count(a: str, b: str, language: str) -> None:
    assert same_code(one(a, language), one(b, language), language)


@pytest.mark.parametrize(("a", "b"), C_DIFFERENT)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_what_makes_other_c(a: str, b: str, language: str) -> None:
    assert not same_code(one(a, language), one(b, language), language)


@pytest.mark.parametrize(("a", "b"), RUST_SAME)
def test_layout_of_rust_does_not_count(a: str, b: str) -> None:
    assert same_code(one(a, "rust"), one(b, "rust"), "rust")


@pytest.mark.parametrize(("a", "b"), RUST_DIFFERENT)
def test_what_makes_other_rust(a: str, b: str) -> None:
    assert not same_code(one(a, "rust"), one(b, "rust"), "rust")


def test_tokens_one_a_line() -> None:
    solution = Solution(files={"a.c": b'#include <a.h>\nx = u8"s"+1.5e-3f; /* c */', "notes.txt": b"x"})
    assert normalised(solution, "c") == {"a.c": b'#\ninclude\n<\na\n.\nh\n>\n\nx\n=\nu8"s"\n+\n1.5e-3f\n;'}


def test_names_notes_and_empty_files_do_not_make_new_code() -> None:
    base = Solution(files={"sort.c": b"int a;", "sort.h": b"int b;"})
    moved = Solution(files={"fast.c": b"int  a;", "sort.h": b"int b;", "README": b"new!", "none.c": b"// nothing\n"})
    assert same_code(base, moved, "c")
    assert not same_code(base, Solution(files={"sort.c": b"int a;"}), "c")
    assert not same_code(base, Solution(files={**base.files, "more.c": b"int a;"}), "c")


def test_other_files_count_where_both_have_them() -> None:
    base = Solution(files={"a.c": b'#include "t.inc"\n', "t.inc": b"1"})
    assert same_code(base, Solution(files={"a.c": b'#include "t.inc"', "t.inc": b"1"}), "c")
    assert not same_code(base, Solution(files={"a.c": b'#include "t.inc"\n', "t.inc": b"2"}), "c")


def test_an_unknown_language_is_refused_with_a_guess() -> None:
    with pytest.raises(BadInput, match="unknown language 'rusty'; did you mean 'rust'"):
        same_code(one("", "c"), one("", "c"), "rusty")


@given(some.binary(max_size=300) | some.text("ab\"'\\/*\n #Rr(){}u81.>&", max_size=80).map(str.encode))
def test_any_bytes_are_cut_and_a_second_cut_changes_nothing(source: bytes) -> None:
    for language in ("c", "c++", "rust"):
        assert sum(map(len, tokens(source, language))) <= len(source)
    once = list(tokens(source, "rust"))
    assert list(tokens(b"\n".join(once), "rust")) == once


@pytest.mark.parametrize(
    "piece", [b'"\\', b"\\", b'R"(', b"/*", b"'", b'"', b"r#", b'r#"', b"1'", b" \\\n", b"//\\", b"#"]
)
def test_time_is_linear_for_any_text(piece: bytes) -> None:
    began = time.process_time()
    for language in ("c", "rust"):
        for _ in tokens(piece * (300_000 // len(piece)), language):
            pass
    assert time.process_time() - began < 5
