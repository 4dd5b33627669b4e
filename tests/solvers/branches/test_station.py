"""A node as branches use it."""

import platform

import pytest

from actors.pool import Unfit
from solvers.branches.station import Station
from solvers.tasks.packed import pack
from solvers.tasks.task import Task


def test_a_node_without_an_engine_is_unfit_and_named(toy: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/where")
    with pytest.raises(Unfit, match=f"^{platform.node()}: no container engine answers at DOCKER_HOST="):
        Station(pack(toy), "tiny")
