"""A short list of choices that shows together whatever two settings do to each other.

A setting is a technique that is off, a technique without parameters that is on, or one parameter at one value. Two
settings are compatible if some allowed choice has both. Faults in templates come mostly from one or two settings, so
the list has every compatible pair: first the choices that a person would try, then a greedy covering array.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from solvers.tasks.technique import Choice, Techniques, Value


class Setting(NamedTuple):
    """One decision about a technique."""

    technique: str
    on: bool
    parameter: str = ""
    value: Value = ""


Pair = frozenset[Setting]


def covering(known: Techniques) -> list[Choice]:
    """The plain choice, each technique at each value, each pair at defaults, and what covers all other pairs."""
    made = {choice.label: choice for choice in (Choice(), *singles(known), *doubles(known))}
    settings = [setting for factor in factors(known) for setting in factor]
    wanted = dict.fromkeys(
        frozenset(pair) for pair in combinations(dict.fromkeys(settings), 2) if possible(known, pair)
    )
    for choice in made.values():
        strike(wanted, settings_of(known, choice))
    while wanted:
        chosen = grown(known, wanted)
        strike(wanted, chosen)
        choice = as_choice(known, chosen)
        made[choice.label] = choice
    return list(made.values())


def singles(known: Techniques) -> Iterator[Choice]:
    """Every technique, with what it needs, at each value of each of its parameters."""
    for name, technique in known.by_id.items():
        choice = known.default_choice([name])
        yield choice
        for parameter, may_be in technique.parameters.items():
            for value in may_be.values:
                yield with_value(choice, name, parameter, value)


def doubles(known: Techniques) -> Iterator[Choice]:
    """Every two techniques that go together, with what they need, at defaults."""
    for pair in combinations(known.by_id, 2):
        if not known.conflict(known.with_needs(pair)):
            yield known.default_choice(pair)


def with_value(choice: Choice, technique: str, parameter: str, value: Value) -> Choice:
    """``choice`` with another value of one parameter."""
    return Choice(techniques={**choice.techniques, technique: {**choice.techniques[technique], parameter: value}})


def factors(known: Techniques) -> Iterator[list[Setting]]:
    """What is to be decided, each with its settings; a technique that is off decides all of its parameters."""
    for name, technique in known.by_id.items():
        off = Setting(name, on=False)
        for parameter, may_be in technique.parameters.items():
            yield [off, *(Setting(name, True, parameter, value) for value in may_be.values)]
        if not technique.parameters:
            yield [off, Setting(name, on=True)]


def possible(known: Techniques, settings: Iterable[Setting]) -> bool:
    """Whether some allowed choice has all of ``settings``: the one with what they need, and nothing else, is tried."""
    values: dict[tuple[str, str], Value] = {}
    for setting in settings:
        if values.setdefault((setting.technique, setting.parameter), setting.value) != setting.value:
            return False
    needed = known.with_needs({setting.technique for setting in settings if setting.on})
    off = {setting.technique for setting in settings if not setting.on}
    return not needed & off and not known.conflict(needed)


def settings_of(known: Techniques, choice: Choice) -> list[Setting]:
    """All settings of a complete choice."""
    found: list[Setting] = []
    for name in known.by_id:
        values = choice.techniques.get(name)
        if values:
            found.extend(Setting(name, True, parameter, value) for parameter, value in values.items())
        else:
            found.append(Setting(name, on=values is not None))
    return found


def strike(wanted: dict[Pair, None], settings: Iterable[Setting]) -> None:
    """Takes the pairs that ``settings`` have out of ``wanted``."""
    for pair in combinations(settings, 2):
        wanted.pop(frozenset(pair), None)


def grown(known: Techniques, wanted: dict[Pair, None]) -> list[Setting]:
    """The first wanted pair, and for all that it leaves open the settings that bring most of the others."""
    first = next(iter(wanted))
    every = list(factors(known))
    chosen = [setting for setting in dict.fromkeys(s for factor in every for s in factor) if setting in first]
    for factor in every:
        if not any(setting in chosen for setting in factor):
            may_be = [setting for setting in factor if possible(known, [*chosen, setting])]
            chosen.append(max(may_be, key=lambda s: sum(frozenset((s, other)) in wanted for other in chosen)))
    return chosen


def as_choice(known: Techniques, settings: Iterable[Setting]) -> Choice:
    """The choice that has all of ``settings``, one for each factor."""
    on = {name: known.by_id[name].defaults() for name in known.ordered({s.technique for s in settings if s.on})}
    for setting in settings:
        if setting.parameter:
            on[setting.technique][setting.parameter] = setting.value
    return Choice(techniques=on)
