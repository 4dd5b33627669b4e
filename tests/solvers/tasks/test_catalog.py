"""What a catalogue allows, and only that, can be chosen, rendered and walked."""

from itertools import combinations
from pathlib import Path

import pytest
from pydantic import ValidationError

from actors.errors import BadInput
from solvers.tasks.catalog import Catalog, Choice, compiled
from solvers.tasks.covering import factors, possible, settings_of
from solvers.tasks.technique import Techniques

DECLARED = """
[[technique]]
id = "width"
about = "digits of another width"
[technique.parameters.bits]
values = [8, 11, 16]
default = 11

[[technique]]
id = "prefetch"
about = "ask for memory ahead"
needs = ["blocks"]
[technique.parameters.distance]
values = [16, 64]
default = 64
[technique.parameters.hint]
values = ["T0", "NTA"]
default = "T0"

[[technique]]
id = "blocks"
about = "work in blocks"

[[technique]]
id = "compare"
about = "sort by comparisons"
excludes = ["width"]
"""
TEMPLATE = """\
#include "sort.h"
{% if width %}
#define BITS {{ width.bits }}
{% endif %}
  {% if prefetch %}
#define AHEAD {{ prefetch.distance }} /* {{ prefetch.hint }} & "on" */
  {% endif %}
{{ "blocks" if blocks else "plain" }}
"""
PLAIN = b'#include "sort.h"\nplain\n'


def made(folder: Path, declared: str = DECLARED, **templates: str) -> Catalog:
    folder.mkdir(exist_ok=True)
    (folder / "catalog.toml").write_text(declared)
    for name, text in (templates or {"sort.c": TEMPLATE}).items():
        (folder / f"{name}.j2").write_text(text)
    return Catalog(folder)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return made(tmp_path / "catalog")


def choose(**techniques: dict[str, int | str]) -> Choice:
    return Choice(techniques=techniques)


def test_the_plain_choice_and_a_full_one_render_to_files(catalog: Catalog) -> None:
    assert catalog.render(Choice()) == {"sort.c": PLAIN}
    files = catalog.render(choose(blocks={}, prefetch={"hint": "NTA"}, width={"bits": 16}))
    assert files["sort.c"] == b'#include "sort.h"\n#define BITS 16\n#define AHEAD 64 /* NTA & "on" */\nblocks\n'


def test_a_checked_choice_is_complete_and_in_order(catalog: Catalog) -> None:
    choice = catalog.check(choose(blocks={}, prefetch={"hint": "NTA"}, width={}))
    assert list(choice.techniques) == ["width", "prefetch", "blocks"]
    assert choice.label == "width bits=11 + prefetch distance=64 hint='NTA' + blocks"
    assert catalog.check(choice) == choice
    assert catalog.check(Choice()).label == "plain"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (choose(widht={}), r"unknown technique 'widht'; did you mean 'width'\? \(known: blocks, compare, prefetch"),
        (choose(width={"bit": 8}), r"unknown parameter of 'width' 'bit'; did you mean 'bits'\?"),
        (choose(blocks={"size": 8}), "unknown parameter of 'blocks' 'size'"),
        (choose(width={"bits": 9}), "bits = 9 is not one of 8, 11, 16"),
        (choose(width={"bits": "8"}), "bits = '8' is not one of 8, 11, 16"),
        (choose(width={}, compare={}), "'width' and 'compare' exclude each other"),
        (choose(prefetch={}), "'prefetch' needs 'blocks'"),
    ],
)
def test_what_is_not_allowed_is_refused_with_advice(catalog: Catalog, choice: Choice, said: str) -> None:
    for use in (catalog.check, catalog.render, catalog.neighbours):
        with pytest.raises(BadInput, match=said) as refused:
            use(choice)
        assert "catalog.toml" in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_value_is_a_number_or_a_word() -> None:
    for wrong in (True, 8.0, None):
        with pytest.raises(ValidationError):
            Choice.model_validate({"techniques": {"width": {"bits": wrong}}})


def test_all_choices_are_those_that_are_allowed(catalog: Catalog) -> None:
    choices = list(catalog.choices())
    # blocks off or on, prefetch (4 ways) only with it: 6; times width off, its 3 values, or compare: 5
    assert len(choices) == len({choice.label for choice in choices}) == 30
    assert [choice.label for choice in choices[:3]] == ["plain", "width bits=8", "width bits=11"]
    assert all(catalog.check(choice) == choice for choice in choices)


def test_the_short_list_has_every_pair_that_can_meet(catalog: Catalog) -> None:
    known = Techniques(catalog.techniques.values())
    pairs = catalog.pairs()
    labels = [choice.label for choice in pairs]
    assert labels[:5] == [
        "plain",
        "width bits=11",
        "width bits=8",
        "width bits=16",
        "prefetch distance=64 hint='T0' + blocks",
    ]
    assert "width bits=11 + prefetch distance=64 hint='T0' + blocks" in labels
    assert len(labels) == len(set(labels)) < 20
    assert all(catalog.check(choice) == choice for choice in pairs)

    def met(choices: list[Choice]) -> set[frozenset[object]]:
        return {frozenset(pair) for choice in choices for pair in combinations(settings_of(known, choice), 2)}

    assert met(pairs) == met(list(catalog.choices()))
    settings = {setting for factor in factors(known) for setting in factor}
    assert met(pairs) == {frozenset(pair) for pair in combinations(settings, 2) if possible(known, pair)}
    assert catalog.pairs() == pairs


def test_the_short_list_of_a_large_catalogue_is_short(tmp_path: Path) -> None:
    technique = '[[technique]]\nid = "t{0}"\nabout = ""\n[technique.parameters.p]\nvalues = [1, 2, 3]\ndefault = 2\n'
    catalog = made(tmp_path / "large", "".join(technique.format(number) for number in range(9)), x="")
    labels = [choice.label for choice in catalog.pairs()]
    assert 1 + 27 + 36 < len(labels) < 1 + 27 + 36 + 40  # of 262,144 choices


def test_neighbours_are_one_step_away(catalog: Catalog) -> None:
    def labels(choice: Choice) -> list[str]:
        near = catalog.neighbours(choice)
        assert all(catalog.check(one) == one for one in near)
        return [one.label for one in near]

    assert labels(Choice()) == ["width bits=11", "prefetch distance=64 hint='T0' + blocks", "blocks", "compare"]
    assert labels(choose(width={"bits": 8}, blocks={})) == [
        "width bits=11 + blocks",
        "blocks",
        "width bits=8 + prefetch distance=64 hint='T0' + blocks",
        "width bits=8",
        "blocks + compare",
    ]
    assert labels(choose(prefetch={"distance": 16}, blocks={})) == [
        "prefetch distance=64 hint='T0' + blocks",
        "prefetch distance=16 hint='NTA' + blocks",
        "width bits=11 + prefetch distance=16 hint='T0' + blocks",
        "blocks",
        "plain",
        "prefetch distance=16 hint='T0' + blocks + compare",
    ]
    assert labels(choose(width={"bits": 11}))[:2] == ["width bits=8", "width bits=16"]


def test_every_allowed_choice_can_be_walked_to(catalog: Catalog) -> None:
    reached = {Choice().label}
    waiting = [Choice()]
    while waiting:
        for near in catalog.neighbours(waiting.pop()):
            if near.label not in reached:
                reached.add(near.label)
                waiting.append(near)
    assert reached == {choice.label for choice in catalog.choices()}


def test_named_techniques_are_combined_the_earlier_first(catalog: Catalog) -> None:
    choice, left_out = catalog.combined(["prefetch", "compare", "width"])
    assert choice.label == "prefetch distance=64 hint='T0' + blocks + compare"
    assert left_out == {"width": "compare"}
    assert catalog.combined(["width", "compare"]) == (choose(width={"bits": 11}), {"compare": "width"})
    assert catalog.combined([]) == (Choice(), {})


ONE = '[[technique]]\nid = "one"\nabout = ""\n'
TWO = '[[technique]]\nid = "two"\nabout = ""\n'


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("[[technique", "not a catalogue"),
        ("", "technique: Field required"),
        ('[[technique]]\nid = "one"\n', "technique.0.about: Field required"),
        (ONE + "colour = 1\n", "technique.0.colour: unknown key"),
        (ONE + ONE, "two techniques have one id"),
        (ONE.replace("one", "an-id"), "'an-id' is no name"),
        (ONE.replace("one", "loop"), "'loop' is no name"),
        (ONE + '[technique.parameters."__class__"]\nvalues = [1]\ndefault = 1\n', "'__class__' is no name"),
        (ONE + "[technique.parameters.p]\nvalues = [1, 2]\ndefault = 3\n", "default 3 is not one of the values"),
        (ONE + "[technique.parameters.p]\nvalues = [1, 1]\ndefault = 1\n", "a value stands twice"),
        (ONE + "[technique.parameters.p]\nvalues = []\ndefault = 1\n", "parameters.p.values"),
        (ONE + 'needs = ["tow"]\n' + TWO, "one: unknown technique 'tow'; did you mean 'two'"),
        (ONE + 'excludes = ["three"]\n' + TWO, "one: unknown technique 'three'"),
        (ONE + 'needs = ["one"]\n', "one needs or excludes itself"),
        (ONE + 'needs = ["two"]\n' + TWO + 'excludes = ["one"]\n', "one can never be on: one and two exclude"),
    ],
)
def test_an_ill_formed_catalogue_is_refused_by_name(tmp_path: Path, declared: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        made(tmp_path / "catalog", declared)
    assert str(tmp_path / "catalog") in str(refused.value)


def test_techniques_that_need_each_other_come_and_go_together(tmp_path: Path) -> None:
    catalog = made(tmp_path / "c", ONE + 'needs = ["two"]\n' + TWO + 'needs = ["one"]\n', x="{{ 1 if one else 2 }}")
    assert [choice.label for choice in catalog.choices()] == ["plain", "one + two"]
    assert [choice.label for choice in catalog.pairs()] == ["plain", "one + two"]
    assert {choice.label for choice in catalog.neighbours(Choice())} == {"one + two"}
    assert {choice.label for choice in catalog.neighbours(choose(one={}, two={}))} == {"plain"}


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% if width %}", "x.j2, line 1: Unexpected end of template"),
        ("{{ 1 | nofilter }}", "No filter named 'nofilter'"),
        ("\n{% if widht %}1{% endif %}", "x.j2: unknown technique 'widht'; did you mean 'width'"),
    ],
)
def test_a_template_that_cannot_work_is_refused_at_once(tmp_path: Path, template: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        made(tmp_path / "catalog", x=template)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ width.bist }}", "no attribute 'bist'"),
        ("{{ width.bits.__class__.__mro__ }}", "unsafe"),
        ("{{ width.bits // 0 }}", "division"),
        ("{{ width.bits + 'a' }}", "unsupported operand"),
        ("{% for n in range(10 ** 9) %}{% endfor %}", "[Rr]ange"),
        ("{% include '/etc/hostname' %}", "/etc/hostname"),
        ("{% include '../secret' %}", "secret"),
    ],
)
def test_a_template_that_fails_or_breaks_out_is_refused(tmp_path: Path, template: str, said: str) -> None:
    (tmp_path / "secret").write_text("s")
    catalog = made(tmp_path / "catalog", x=template)
    with pytest.raises(BadInput, match=said) as refused:
        catalog.render(choose(width={}))
    assert "x.j2: cannot be rendered for 'width" in str(refused.value)


def test_a_template_may_have_names_of_its_own(tmp_path: Path) -> None:
    template = "{% if width %}{% set bits = width.bits %}{% else %}{% set bits = 1 %}{% endif %}{{ bits }}"
    catalog = made(tmp_path / "catalog", x=template + "{% for n in range(2) %}{{ n }}{% endfor %}")
    assert [catalog.render(choice) for choice in (Choice(), choose(width={}))] == [{"x": b"101"}, {"x": b"1101"}]


def test_templates_may_share_and_stand_in_folders(tmp_path: Path) -> None:
    catalog = made(tmp_path / "catalog", shared="{% macro twice(n) %}{{ n * 2 }}{% endmacro %}")
    (tmp_path / "catalog" / "src").mkdir()
    (tmp_path / "catalog" / "src" / "a.rs.j2").write_text("{% from 'shared.j2' import twice %}\n{{ twice(4) }}\n")
    (tmp_path / "catalog" / "notes.md").write_text("{{ nothing }}")
    assert Catalog(catalog.path.parent).render(Choice()) == {"shared": b"", "src/a.rs": b"8\n"}


def test_a_folder_that_holds_no_catalogue(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="none: No such file"):
        Catalog(tmp_path / "none")
    with pytest.raises(BadInput, match=r"no catalog\.toml"):
        Catalog(tmp_path)
    (tmp_path / "catalog.toml").write_text(ONE)
    with pytest.raises(BadInput, match="no template"):
        Catalog(tmp_path)
    (tmp_path / "x.j2").symlink_to("/etc/hostname")
    with pytest.raises(BadInput, match=r"x\.j2: a symbolic link"):
        Catalog(tmp_path)
    (tmp_path / "x.j2").unlink()
    (tmp_path / "x.j2").write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not a catalogue"):
        Catalog(tmp_path)


def test_templates_are_compiled_once_whatever_folder_they_stand_in_and_again_when_they_change(tmp_path: Path) -> None:
    one, same = made(tmp_path / "one"), made(tmp_path / "two")
    before = compiled.cache_info().hits
    assert Catalog(tmp_path / "one").render(Choice()) == same.render(Choice()) == one.render(Choice())
    assert compiled.cache_info().hits == before + 1
    other = made(tmp_path / "one", **{"sort.c": "other"})
    assert (other.render(Choice()), one.render(Choice())) == ({"sort.c": b"other"}, {"sort.c": PLAIN})


def test_a_catalogue_with_templates_that_are_known_is_held_against_its_own_techniques(tmp_path: Path) -> None:
    made(tmp_path / "one")
    with pytest.raises(BadInput, match=r"two/sort.c.j2: technique 'blocks' is unknown|two/sort.c.j2"):
        made(tmp_path / "two", DECLARED.replace('"blocks"', '"lumps"'))
