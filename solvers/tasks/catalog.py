"""A task's catalogue: known techniques as real code, to be combined and tuned without a model.

``catalog.toml`` declares techniques, their parameters and what goes together; each template NAME.j2 beside it renders
to the file NAME. A template sees every technique by its id: false where it is off, else an object with its parameters.
Other files are left alone.

A task may come from anywhere, so templates run in Jinja's sandbox and can load nothing but one another. Not guarded: a
template that takes all time or memory, and what the rendered code does, which is why it runs only in a container.
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from jinja2 import DictLoader, StrictUndefined, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from actors.errors import BadInput, unknown
from actors.row import Row, parse
from solvers.tasks.covering import covering, with_value
from solvers.tasks.technique import Choice as Choice
from solvers.tasks.technique import Parameter as Parameter
from solvers.tasks.technique import Technique as Technique
from solvers.tasks.technique import Techniques, Value
from solvers.workspace.solution import Refused, read_folder

BROKEN = (TemplateError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""What a template that compiles can still raise, by what it computes."""


class Declared(Row):
    """catalog.toml."""

    technique: tuple[Technique, ...]


class Compiled(NamedTuple):
    """Templates that compile. named: by template, names that it takes from outside."""

    environment: ImmutableSandboxedEnvironment
    named: dict[str, set[str]]


@lru_cache(maxsize=8)  # a branch reads its task's catalogue anew, and compiling is the slow part of that
def compiled(templates: tuple[tuple[str, str], ...]) -> Compiled:
    """Templates by name and text. TemplateSyntaxError, with the template's name, where one does not compile."""
    environment = ImmutableSandboxedEnvironment(
        loader=DictLoader(dict(templates)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    named = {}
    for name, text in templates:
        environment.get_template(name)
        tree = environment.parse(text, name)
        own = {found.name for found in tree.find_all(nodes.Name) if found.ctx != "load"}  # even if set on one path only
        named[name] = meta.find_undeclared_variables(tree) - own - environment.globals.keys()
    return Compiled(environment, named)


class Catalog:
    """The catalogue in ``folder``. BadInput names the file, and what is wrong in it. It is not for pickling."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "catalog.toml"
        try:
            files = read_folder(folder).files
            declared = tomllib.loads(files["catalog.toml"].decode())
            templates = {name: text.decode() for name, text in files.items() if name.endswith(".j2")}
        except Refused as error:
            raise BadInput(f"{folder}: {error}") from None
        except KeyError:
            raise BadInput(f"{folder}: no catalog.toml; a catalogue declares its techniques there") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{folder}: not a catalogue: {error}") from None
        techniques = parse(Declared, declared, str(self.path)).technique
        self._known = Techniques(techniques)
        self.techniques = self._known.by_id
        if len(self.techniques) < len(techniques):
            raise BadInput(f"{self.path}: two techniques have one id")
        for technique in techniques:
            self._check_technique(technique)
        self._templates = list(templates)
        self._environment = self._checked(templates)

    def check(self, choice: Choice) -> Choice:
        """``choice`` with all parameters, in the catalogue's order. BadInput if it is not allowed."""
        complete = {name: self._values(name, values) for name, values in choice.techniques.items()}
        for name in complete:
            missing = [other for other in self.techniques[name].needs if other not in complete]
            if missing:
                raise BadInput(f"technique '{name}' needs '{missing[0]}'; add it, or see {self.path}")
        if pair := self._known.conflict(complete):
            raise BadInput(f"techniques '{pair[0]}' and '{pair[1]}' exclude each other; drop one, or see {self.path}")
        return Choice(techniques={name: complete[name] for name in self._known.ordered(complete)})

    def render(self, choice: Choice) -> dict[str, bytes]:
        """The files of ``choice``, by name."""
        on = self.check(choice).techniques
        context = {name: SimpleNamespace(**on[name]) if name in on else False for name in self.techniques}
        files = {}
        for name in self._templates:
            try:
                files[name.removesuffix(".j2")] = self._environment.get_template(name).render(context).encode()
            except BROKEN as error:
                raise BadInput(f"{self.path.parent / name}: cannot be rendered for '{choice.label}': {error}") from None
        return files

    def choices(self) -> Iterator[Choice]:
        """All allowed choices, those with fewer techniques first; there may be very many."""
        for count in range(len(self.techniques) + 1):
            for on in combinations(self.techniques, count):
                if self._known.conflict(on) or len(self._known.with_needs(on)) > count:
                    continue
                settings = [
                    [(name, parameter, value) for value in may_be.values]
                    for name in on
                    for parameter, may_be in self.techniques[name].parameters.items()
                ]
                for values in product(*settings):
                    made: dict[str, dict[str, Value]] = {name: {} for name in on}
                    for name, parameter, value in values:
                        made[name][parameter] = value
                    yield Choice(techniques=made)

    def pairs(self) -> list[Choice]:
        """A short list, without repeats, in which every two settings that can meet do so (covering.py)."""
        return covering(self._known)

    def combined(self, names: Iterable[str]) -> tuple[Choice, dict[str, str]]:
        """``names`` that go together, each with what it needs, at defaults, earlier ones first.

        And those that were left out, each with the technique that it cannot be combined with. All must be known here.
        """
        on: set[str] = set()
        left_out: dict[str, str] = {}
        for name in names:
            wider = on | self._known.with_needs([name])
            if pair := self._known.conflict(wider):
                left_out[name] = pair[0] if pair[0] in on else pair[1]
            else:
                on = wider
        return self._known.default_choice(on), left_out

    def neighbours(self, choice: Choice) -> list[Choice]:
        """Choices one step away: one parameter at the next value down or up, or one technique on or off.

        A technique that comes on, at defaults, brings what it needs and drops what excludes these; one that goes drops
        what needs it.
        """
        here = self.check(choice)
        return [*self._tuned(here), *(self._switched(here, name) for name in self.techniques)]

    def _tuned(self, here: Choice) -> Iterator[Choice]:
        for name, values in here.techniques.items():
            for parameter, value in values.items():
                may_be = self.techniques[name].parameters[parameter].values
                at = may_be.index(value)
                for near in (at - 1, at + 1):
                    if 0 <= near < len(may_be):
                        yield with_value(here, name, parameter, may_be[near])

    def _switched(self, here: Choice, name: str) -> Choice:
        coming = set() if name in here.techniques else self._known.with_needs([name])
        going = {name} - coming | {foe for one in coming for foe in self._known.foes(one)}
        left = [one for one in here.techniques if not self._known.with_needs([one]) & going]
        on = self._known.ordered({*left, *coming})
        return Choice(techniques={one: here.techniques.get(one) or self.techniques[one].defaults() for one in on})

    def _values(self, name: str, given: dict[str, Value]) -> dict[str, Value]:
        """All values of a technique's parameters."""
        if name not in self.techniques:
            raise BadInput(unknown("technique", name, list(self.techniques), f"see {self.path}"))
        parameters = self.techniques[name].parameters
        for parameter, value in given.items():
            if parameter not in parameters:
                raise BadInput(unknown(f"parameter of '{name}'", parameter, list(parameters), f"see {self.path}"))
            if value not in parameters[parameter].values:
                may_be = ", ".join(repr(allowed) for allowed in parameters[parameter].values)
                raise BadInput(f"technique '{name}': {parameter} = {value!r} is not one of {may_be}; see {self.path}")
        return {**self.techniques[name].defaults(), **given}

    def _check_technique(self, technique: Technique) -> None:
        """That what it names is there, and that it can be chosen at all."""
        for other in (*technique.excludes, *technique.needs):
            if other not in self.techniques:
                raise BadInput(f"{self.path}: {technique.id}: {unknown('technique', other, list(self.techniques), '')}")
            if other == technique.id:
                raise BadInput(f"{self.path}: {other} needs or excludes itself")
        if pair := self._known.conflict(self._known.with_needs([technique.id])):
            raise BadInput(f"{self.path}: {technique.id} can never be on: {pair[0]} and {pair[1]} exclude each other")

    def _checked(self, templates: dict[str, str]) -> ImmutableSandboxedEnvironment:
        """The templates, compiled: there are some, and each uses no name that is not there."""
        if not templates:
            raise BadInput(f"{self.path.parent}: no template (NAME.j2), so there is nothing to render")
        try:
            environment, named = compiled(tuple(templates.items()))
        except TemplateSyntaxError as error:
            where = self.path.parent / (error.name or "")
            raise BadInput(f"{where}, line {error.lineno}: {error.message}") from None
        for name, strange in ((name, one) for name, all_of in named.items() for one in sorted(all_of)):
            if strange not in self.techniques:
                known = unknown("technique", strange, list(self.techniques), "a profile's parameters are not seen here")
                raise BadInput(f"{self.path.parent / name}: {known}")
        return environment
