"""What the doctor says of a container engine: absent, lame, without the base image, well."""

from typing import Any

import pytest

from pipelines.doctor import engine
from solvers.containers.engine import EngineFault

WELL = {
    "ServerVersion": "20.10.24",
    "CgroupVersion": "2",
    "Driver": "overlay2",
    **dict.fromkeys(("MemoryLimit", "SwapLimit", "PidsLimit"), True),
}


class Told:
    """An engine that tells what it is told to."""

    def __init__(self, info: dict[str, Any], base: str | None = "sha256:1") -> None:
        self._info, self._base = info, base

    def info(self) -> dict[str, Any]:
        if not self._info:
            raise EngineFault("asking the container engine about itself: it went away")
        return self._info

    def image(self, name: str) -> str | None:
        return self._base

    def __enter__(self) -> "Told":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def says(monkeypatch: pytest.MonkeyPatch, told: Told) -> tuple[bool | None, str, str]:
    monkeypatch.setattr("solvers.containers.engine.Engine.connect", lambda *_: told)
    check = engine()
    return check.ok, check.found, check.mend


def test_no_engine_is_no_failure_and_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/where")
    check = engine()
    assert check.ok is None
    assert check.found == "no container engine answers at DOCKER_HOST=unix:///no/where (no such file or directory)"
    assert check.mend.startswith("install Docker Engine (Debian: apt-get install docker.io)")
    assert check.mend.endswith("the questioning game does without")


def test_an_engine_that_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    found = "20.10.24, cgroup v2, overlay2, limits hold, debian:bookworm-slim is here"
    assert says(monkeypatch, Told(WELL)) == (True, found, "")


def test_without_the_base_image_it_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ok, found, mend = says(monkeypatch, Told(WELL, base=None))
    assert ok is True
    assert found.endswith("debian:bookworm-slim is not here")
    assert mend.startswith("heuresis task base")


def test_limits_that_do_not_hold_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ok, found, mend = says(monkeypatch, Told({**WELL, "SwapLimit": False, "PidsLimit": None}))
    assert ok is None
    assert "no limit on swap, processes" in found
    assert "swapaccount=1" in mend


def test_one_that_goes_away_meanwhile_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert says(monkeypatch, Told({})) == (None, "asking the container engine about itself: it went away", "")
