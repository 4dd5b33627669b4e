"""The shape of the house: names, sizes and places that reviews should not have to watch over."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("actors", "pipelines", "solvers")
TOP = {
    *(".ci", ".dockerignore", ".gitignore", "CONTRIBUTING.md", "Dockerfile", "LICENSE", "Makefile", "NOTICE"),
    *("README.md", "pyproject.toml", "requirements.lock", "conf", "datasets", "docs", "outputs", "tests", *PACKAGES),
}
NO_ROOMS = {"utils", "util", "core", "common", "helpers", "helper", "misc", "base", "manager", "handler"}
LINES_A_FILE, LINES_A_FUNCTION = 260, 40


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def tracked() -> set[str]:
    import subprocess

    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True).stdout
    return set(listed.splitlines())


def test_the_top_level_is_as_agreed() -> None:
    assert {path.split("/")[0] for path in tracked()} == TOP


def test_datasets_is_data_and_outputs_is_empty() -> None:
    files = tracked()
    assert [path for path in files if path.startswith("datasets/") and path.endswith(".py")] == []
    assert [path for path in files if path.startswith("outputs/")] == ["outputs/README.md"]


@pytest.mark.parametrize("path", list(sources()), ids=lambda path: str(path.relative_to(ROOT)))
def test_one_idea_a_file(path: Path) -> None:
    text = path.read_text()
    assert path.stem not in NO_ROOMS
    assert len(text.splitlines()) <= LINES_A_FILE
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a file says in its first line what it is"
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert [f.name for f in functions if (f.end_lineno or 0) - f.lineno >= LINES_A_FUNCTION] == []


def test_tests_mirror_the_packages() -> None:
    for folder in sorted({path.parent for path in (ROOT / "tests").rglob("test_*.py")}):
        mirrored = folder.relative_to(ROOT / "tests")
        assert (ROOT / mirrored).is_dir(), f"tests/{mirrored} mirrors nothing"


def test_the_shape_of_every_table_is_documented_as_it_is() -> None:
    from pipelines.table import document

    assert (ROOT / "docs" / "tables.md").read_text() == document(), "python -m pipelines.table > docs/tables.md"


def test_one_model_file_has_every_key() -> None:
    import yaml

    from actors.model import Spec

    written = yaml.safe_load((ROOT / "conf" / "model" / "endpoint.yaml").read_text())
    assert set(written) | {"persona"} == set(Spec.model_fields)
