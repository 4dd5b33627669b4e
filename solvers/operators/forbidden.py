"""Where a solution of a measured task says what it has no business with: the words are in forbidden_words.py.

Sources are read as tokens, so comments and strings say nothing, but for the strings that are code: what is included,
what is written for the assembler, names of symbols, and paths of the system. Time is linear in the length.

Not guarded: memoisation, tables and skipped work; words that macros paste together; numbers that are machine code.
Those are for a reader to judge, and most of them do not pass the harness either.
"""

import re
from collections.abc import Iterator, Sequence
from posixpath import basename, dirname, join, normpath
from typing import NamedTuple

from solvers.operators.forbidden_words import (
    CALL_REASONS,
    FILE,
    HIDDEN,
    KERNEL,
    OUTSIDE,
    SETTING,
    STDS,
    WORD,
    of_assembler,
    of_symbol,
    reason,
    undecorated,
)
from solvers.workspace.solution import Solution
from solvers.workspace.source import is_source, tokens

SPLICE = re.compile(rb"\\[ \t]*\r?\n")
QUOTED = re.compile(r'^(?:u8|[uUL]|[bc])?(?:R"([^(]*)\(([\s\S]*)\)\1"|r(#*)"([\s\S]*)"\3|"([\s\S]*?)"?)$')
PLACES = re.compile(r"/(?:proc|sys|dev)(?:/|$)")
OLD_CALLS = re.compile(r"0[xX][fF]{10}600")  # the page of old system calls
ASSEMBLER = {"asm", "__asm", "__asm__", "global_asm", "naked_asm"}
SYMBOLS = {"weakref", "__weakref__", "alias", "__alias__", "ifunc", "__ifunc__", "link_name"}
INCLUDES = {"include", "include_next", "import", "embed", "__has_include", "__has_include_next", "__has_embed"}
RUST_FILES = {"include", "include_str", "include_bytes"}
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
AFTER_PARAMETERS = {"const", "noexcept", "override", "final"}
NEAR = 60  # tokens that a declaration or an include may go on for


class Use(NamedTuple):
    """A word that should not be there, and why not."""

    file: str
    word: str
    why: str


def uses(solution: Solution, language: str) -> list[Use]:
    """Every such use in the sources, and in files of other kinds that a source includes; each word once a file."""
    waiting = [name for name in solution.files if is_source(name, language)]
    known = set(waiting)
    found: dict[tuple[str, str], Use] = {}
    while waiting:
        name = waiting.pop()
        text = SourceText(name, solution.files[name], language)
        for word, why in text.uses():
            found.setdefault((name, word), Use(name, word, why))
        ends = {basename(one) for one in text.included}
        more = [one for one in solution.files if basename(one) in ends and one not in known]
        waiting += more
        known.update(more)
    return sorted(found.values())


class SourceText:
    """A source file as tokens. included: files that it names, known when `uses` was gone through."""

    def __init__(self, name: str, content: bytes, language: str) -> None:
        self.name = name
        self.language = language
        self.included: list[str] = []
        self._skip = 0  # up to where a header is named: to include one is no use of it
        joined = content if language == "rust" else SPLICE.sub(b"", content)
        self.tokens = [token.decode(errors="replace") for token in tokens(joined, language)]
        self._ends = brackets(self.tokens)
        self._own = {token for at, token in enumerate(self.tokens) if token in CALL_REASONS and self._is_own(at)}
        self._extern = "extern" in self.tokens

    def uses(self) -> Iterator[tuple[str, str]]:
        """What should not be there, in order, with reasons."""
        seen = 0  # up to where groups were read as a whole: groups in groups are not read again
        for at, token in enumerate(self.tokens):
            if at < self._skip:
                continue
            if not WORD.fullmatch(token):
                yield from literal(token)
                continue
            why = reason(token) or (CALL_REASONS.get(undecorated(token)) if self._is_foreign(at) else None)
            if why is not None:
                yield token, why
            yield from self._files(at, token)
            if at >= seen and (token == "std" or token in ASSEMBLER or token in SYMBOLS):
                found, seen = self._group(at, token)
                yield from found

    def _after(self, at: int, *ahead: str) -> bool:
        return self.tokens[at + 1 : at + 1 + len(ahead)] == list(ahead)

    def _before(self, at: int, back: int = 1) -> str:
        return self.tokens[at - back] if at >= back else ""

    def _is_own(self, at: int) -> bool:
        """Whether a common word gets a meaning of its own here: a function, a macro, a C++ lambda."""
        if self._before(at) == "define" or self._after(at, "=", "["):
            return True
        if not self._after(at, "("):
            return False
        end = self._ends.get(at + 1)
        rest = self.tokens[end + 1 : end + 5] if end is not None else []
        return next((token for token in rest if token not in AFTER_PARAMETERS), "") == "{"

    def _is_foreign(self, at: int) -> bool:
        """Whether a word is called, and as a function from outside."""
        if not self._after(at, "(") or self.tokens[at] in self._own or self._before(at) in (".", "->"):
            return False
        if self.language == "rust":  # a call by that name is some module's; one of C has to be declared
            end = self._ends.get(at + 1, at)
            body = next((token for token in self.tokens[end : end + NEAR] if token in ("{", ";")), "")
            return self._extern and self._before(at) == "fn" and body == ";"
        if self._before(at) == "::":
            return self._before(at, 2) == "std" or not WORD.fullmatch(self._before(at, 2))
        return True

    def _group(self, at: int, token: str) -> tuple[list[tuple[str, str]], int]:
        """What a word says together with what follows it, and where that ends."""
        if token == "std":
            end = self._ends.get(at + 2, at)
            return list(self._of_std(at, end)), end
        reach = 6 if token in ASSEMBLER else 2
        opening = next((here for here in range(at + 1, at + reach) if here in self._ends), None)
        end = at + 4 if opening is None else self._ends[opening]
        said = "".join(quoted(one) or ("" if one.startswith('"') else "\n") for one in self.tokens[at + 1 : end])
        if token in ASSEMBLER:
            return of_assembler(said.strip()), end
        return [use for name in said.split() for use in of_symbol(name)], end

    def _of_std(self, at: int, end: int) -> Iterator[tuple[str, str]]:
        """Parts of the standard library that are named after `std ::`, alone or in braces."""
        if self.language == "rust" and self._after(at, "as"):
            yield "std as", HIDDEN
        if not self._after(at, "::"):
            return
        starts = [here for here in range(at + 2, end) if self.tokens[here] in ("{", ",")]
        for part in [here + 1 for here in starts] or [at + 2]:
            word = self.tokens[part] if part < len(self.tokens) else ""
            leaves = word == "process" and (self._after(part, "::", "abort") or self._after(part, "::", "exit"))
            if (why := STDS[self.language].get(word)) and not leaves:
                yield f"std::{word}", why

    def _files(self, at: int, token: str) -> Iterator[tuple[str, str]]:
        """Files that are taken in, where they lie outside or are not named."""
        if self.language != "rust":
            directive = self._before(at) == "#" or (self._before(at, 2), self._before(at)) == ("%", ":")
            if token in INCLUDES and (directive or token.startswith("__has")):
                yield from self._taken(at + 2 if self._after(at, "(") else at + 1)
        elif token in RUST_FILES and self._after(at, "!"):
            yield from self._taken(at + 3)
        elif token == "path" and self._before(at) == "[" and self._after(at, "="):
            yield from self._taken(at + 2)
        elif token in ("env", "option_env") and self._after(at, "!"):
            yield f"{token}!", SETTING

    def _taken(self, at: int) -> Iterator[tuple[str, str]]:
        first, *rest = self.tokens[at : at + NEAR] or [""]
        if first == "<" and ">" in rest:
            name, inside = "".join(rest[: rest.index(">")]), ""
            self._skip = at + 1 + rest.index(">")
        elif (text := quoted(first)) is not None:
            name, inside = text, dirname(self.name)
        else:
            yield f"include {first}".strip(), HIDDEN
            return
        self.included.append(name)
        if normpath(join(inside, name)).startswith(("/", "../")):
            yield name, OUTSIDE


def brackets(tokens: Sequence[str]) -> dict[int, int]:
    """Where each bracket closes, by where it opens; those that never close are left out."""
    ends, opened = {}, []
    for at, token in enumerate(tokens):
        if token in OPENING:
            opened.append(at)
        elif token in CLOSING and opened:
            ends[opened.pop()] = at
    return ends


def literal(token: str) -> Iterator[tuple[str, str]]:
    """A string or number that should not be there: a path of the system, the page of old system calls."""
    if (text := quoted(token)) is not None and PLACES.match(text):
        yield text, FILE
    if OLD_CALLS.match(token):
        yield token, KERNEL


def quoted(token: str) -> str | None:
    """What a string says; None for what is none."""
    found = QUOTED.match(token)
    return None if found is None else next(part for part in (found[2], found[4], found[5]) if part is not None)
