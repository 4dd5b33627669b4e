"""The project's image: what goes into it is said, nothing else gets in, and it builds where nothing is pulled."""

import fnmatch
import re
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import docker
import pytest
from clusters import project_image

from solvers.containers.base_image import BASE
from solvers.containers.engine import Engine

ROOT = Path(__file__).resolve().parent.parent
FILE = (ROOT / "Dockerfile").read_text()
LINES = FILE.replace("\\\n", "").splitlines()
SHOWN = [line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]


def copied() -> Iterator[str]:
    """What the Dockerfile takes from the checkout."""
    for line in LINES:
        if line.startswith("COPY ") and "--from" not in line:
            yield from line.split()[1:-1]


def test_the_base_is_the_one_that_can_be_made_here() -> None:
    assert LINES[next(at for at, line in enumerate(LINES) if not line.startswith("#"))] == f"ARG BASE={BASE}"


def test_all_that_is_copied_is_shown_to_the_builder_and_nothing_else_is() -> None:
    taken = {path.rstrip("*") for path in copied()}
    assert taken == set(SHOWN)
    assert all((ROOT / path).exists() for path in taken - {".venv/wheels"})


def test_every_package_of_the_project_is_in_it_and_what_a_run_reads() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {path.rstrip("*") for path in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    assert packages | {"conf", "datasets", *project["project"]["license-files"]} <= set(copied())


def test_no_file_of_a_run_a_key_or_a_cache_can_get_in() -> None:
    hidden = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in hidden
    for private in ("outputs/store/x", ".git/config", ".env", "tests/conftest.py", ".venv/bin/python"):
        assert not any(fnmatch.fnmatch(private, shown) or private.startswith(f"{shown}/") for shown in SHOWN), private


def test_no_address_and_no_secret_is_written_in_it() -> None:
    assert re.findall(r"https?://\S+", FILE) == []
    assert re.findall(r"(?i)(password|token|secret|api_key)\s*=", FILE) == []
    assert not re.search(r"(?m)^ARG PIP_(EXTRA_)?INDEX_URL=", FILE), "an index is the builder's to name"


@pytest.fixture(scope="module")
def image(engine: Engine) -> str:
    """A build from nothing takes two minutes, one where only sources changed some seconds."""
    return project_image()


@pytest.fixture
def client(engine: Engine) -> Iterator[docker.DockerClient]:
    with closing(docker.from_env(timeout=120)) as made:
        yield made


def said(client: docker.DockerClient, image: str, *command: str, **more: Any) -> str:
    out: bytes = client.containers.run(image, list(command), remove=True, stderr=True, **more)
    return out.decode()


@pytest.mark.soak
def test_it_says_what_it_is_and_is_not_root(client: docker.DockerClient, image: str) -> None:
    config = client.images.get(image).attrs["Config"]
    assert config["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert (config["User"], config["Entrypoint"]) == ("heuresis", ["heuresis"])
    assert client.images.get(image).attrs["Size"] < 1.8e9


@pytest.mark.soak
def test_nothing_of_the_builder_is_left(client: docker.DockerClient, image: str) -> None:
    history = " ".join(layer["CreatedBy"] for layer in client.images.get(image).history())
    assert "INDEX_URL" not in history
    look = "find / -xdev \\( -name '*.whl' -o -name 'pip.conf' -o -name mypy -o -name ruff \\) 2>/dev/null; env"
    found = said(client, image, "-c", look, entrypoint=["sh"])
    assert "PIP_" not in found
    assert [line for line in found.splitlines() if line.startswith("/")] == []


@pytest.mark.soak
def test_doctor_finds_everything_but_an_engine(client: docker.DockerClient, image: str) -> None:
    found = said(client, image, "doctor").splitlines()
    assert [line for line in found if line.startswith("bad")] == []
    assert [line.split(":")[0].split(maxsplit=1)[1] for line in found if line.startswith("ok")] == [
        *("machine", "packages", "embedded model", "papers", "outputs")
    ]


@pytest.mark.soak
def test_any_user_of_the_machine_can_play_in_it(client: docker.DockerClient, image: str) -> None:
    words = ["run", "cast=scripted", "cluster=inprocess", "papers=1", "replicates=1", "questions=10"]
    assert "3 ok, 0 failed, 0 to play" in said(client, image, *words, user="4321:4321")
