"""Prompts: one Jinja template per kind of request, known by the hash of its bytes.

The game's are in ``actors/prompts``, the idea search's in ``solvers/prompts``.


A template has a ``system`` block and a ``user`` block. Rendering is left to the model that needs words: the scripted
players read the values instead.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from actors.row import Row

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "actors" / "prompts", ROOT / "solvers" / "prompts")


@cache
def template(name: str) -> Template:
    """The compiled template; an unknown variable in it is an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDERS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # prompts are plain text
    )
    return environment.get_template(f"{name}.j2")


def path_of(name: str) -> Path:
    """The template's file."""
    return next(path for folder in FOLDERS if (path := folder / f"{name}.j2").exists())


@cache
def prompt_hash(name: str) -> str:
    """First 12 hex digits of the SHA-256 of the template's bytes."""
    return hashlib.sha256(path_of(name).read_bytes()).hexdigest()[:12]


@cache
def prompt_bytes(name: str) -> int:
    """How long the template is."""
    return path_of(name).stat().st_size


@dataclass(frozen=True)
class Request:
    """One thing asked of a model: which prompt, with which values, in which shape, for which unit.

    reply: None is plain text, as where a reply holds code.
    """

    prompt: str
    values: Mapping[str, object]
    reply: type[Row] | None
    temperature: float
    seed: int = 0
    unit: str = ""

    def messages(self) -> list[dict[str, str]]:
        """The chat messages, a system and a user one; rendered once, so nobody may change them."""
        return self._messages

    @cached_property
    def _messages(self) -> list[dict[str, str]]:
        source = template(self.prompt)
        context = source.new_context(dict(self.values))
        return [{"role": role, "content": "".join(source.blocks[role](context)).strip()} for role in ("system", "user")]
