"""Whether two solutions are the same code: equal after comments, layout and file names are taken away.

Sources are cut into tokens, as C, C++ or Rust cuts them: strings, characters and raw strings stay as they are, nested
comments end where Rust says, a directive of the C preprocessor ends with its line. Time is linear in the length,
whatever the text. Text that is not in the language is cut somehow, and equal text always equally.

Not guarded: renamed variables, reordered functions, code that is never called. That is for a reader to judge.
"""

import re
from collections.abc import Iterator

from actors.errors import BadInput, unknown
from solvers.workspace.solution import Solution

SUFFIXES = {
    "c": (".c", ".h"),
    "c++": (".cpp", ".cc", ".cxx", ".c", ".hpp", ".hh", ".hxx", ".h"),
    "rust": (".rs",),
}
OPERATORS = rb"<<=|<=>|<<|->\*?|=>|\.\.\.|\.\.=|\.\.|\+\+|--|&&|\|\||[-+*/%&|^=!<]=|::|[#]{2}"
"""None begins with '>': >> closes two brackets as often as it shifts, and layout must not tell the two apart."""
LEXEMES = {
    "c": rb"""
        (?P<space>(?:[ \t\v\f]++|\\\n)++|\n)
      | (?P<comment>//(?:[^\\\n]++|\\[\s\S])*+\\?|/\*[\s\S]*?(?:\*/|\Z))
      | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^()\\\s"]{0,16})\()
      | (?P<token>(?:u8|[uUL])?"(?:[^"\\\n]++|\\[\s\S])*+"?
        | (?:u8|[uUL])?'(?:[^'\\\n]++|\\[\s\S])*+'?
        | \.?[0-9](?:[eEpP][-+]|'\w|[\w.])*+
        | \w+ | OPERATORS | [\s\S])""",
    "rust": rb"""
        (?P<space>\s+)
      | (?P<comment>//[^\n]*)
      | (?P<nested>/\*)
      | (?P<raw>(?:b|c)?r(?P<fence>\#{0,255})")
      | (?P<token>[bc]?"(?:[^"\\]++|\\[\s\S])*+(?:"|\\\Z)?
        | b?'(?:\\(?:u\{\w{0,10}\}|x\w\w|[\s\S])|[^\\'\n\x80-\xff]|[\xc0-\xff][\x80-\xbf]{1,3})'
        | '\w+
        | [0-9]\w*(?:\.[0-9]\w*)?
        | \w+ | OPERATORS | [\s\S])""",
}
LEXERS = {name: re.compile(pattern.replace(b"OPERATORS", OPERATORS), re.VERBOSE) for name, pattern in LEXEMES.items()}
LEXERS["c++"] = LEXERS["c"]
COMMENT_MARKS = re.compile(rb"/\*|\*/")


def same_code(a: Solution, b: Solution, language: str) -> bool:
    """Whether ``a`` and ``b`` say the same to the compiler, as far as layout goes.

    Names of source files do not count, nor do files without code, nor files of other kinds unless both solutions have
    one of that name and the contents differ.
    """
    others = [
        a.files[name] == b.files[name] for name in a.files.keys() & b.files.keys() if not is_source(name, language)
    ]
    codes = [sorted(filter(None, normalised(solution, language).values())) for solution in (a, b)]
    return all(others) and codes[0] == codes[1]


def normalised(solution: Solution, language: str) -> dict[str, bytes]:
    """The source files of ``solution``, each as its tokens, one a line."""
    return {
        name: b"\n".join(tokens(content, language))
        for name, content in solution.files.items()
        if is_source(name, language)
    }


def is_source(name: str, language: str) -> bool:
    """Whether a file of this name is in ``language``; BadInput for a language that is not known here."""
    if language not in SUFFIXES:
        raise BadInput(unknown("language", language, list(SUFFIXES), ""))
    return name.endswith(SUFFIXES[language])


def tokens(source: bytes, language: str) -> Iterator[bytes]:
    """The tokens of ``source``; for C and C++ with an empty one where a directive ends."""
    source = source.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    lexer, preprocessed = LEXERS[language], language != "rust"
    at, fresh, directive = 0, preprocessed, False
    while found := lexer.match(source, at):
        at = found.end()
        match found.lastgroup:
            case "comment":
                continue
            case "nested":
                at = comment_end(source, at)
            case "space":
                if found[0] == b"\n" and preprocessed:
                    if directive:
                        yield b""
                    fresh, directive = True, False
            case _:
                if found.lastgroup == "raw":
                    at = raw_end(source, at, found["fence"], language)
                directive = directive or (fresh and found[0] == b"#")
                fresh = False
                yield source[found.start() : at]
    if directive:
        yield b""


def raw_end(source: bytes, at: int, fence: bytes, language: str) -> int:
    """Where the raw string ends whose content begins at ``at``."""
    closing = b'"' + fence if language == "rust" else b")" + fence + b'"'
    end = source.find(closing, at)
    return len(source) if end < 0 else end + len(closing)


def comment_end(source: bytes, at: int) -> int:
    """Where Rust's comment ends that was opened just before ``at``."""
    depth = 1
    for mark in COMMENT_MARKS.finditer(source, at):
        depth += 1 if mark[0] == b"/*" else -1
        if depth == 0:
            return mark.end()
    return len(source)
