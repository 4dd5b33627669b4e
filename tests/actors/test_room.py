"""A cluster that cannot have room for a run's actors is found out at once, with the setting to change."""

import pytest

from actors.errors import BadInput
from actors.pool import Resources
from actors.room import Room

NODES = ({"CPU": 2.0, "memory": 9e9, "node:10.0.0.1": 1.0}, {"CPU": 4.0, "GPU": 1.0})


def test_no_node_has_what_an_actor_needs() -> None:
    with pytest.raises(BadInput, match=r"cluster\.needs: no node has CPU 3, GPU 2, as Games asks") as refused:
        Room().take("Games", 1, {"CPU": 3, "GPU": 2}, NODES)
    assert "the nodes have: CPU 2; CPU 4, GPU 1" in str(refused.value)


def test_all_actors_of_a_run_count() -> None:
    room = Room()
    room.take("Desk", 1, {}, NODES)
    room.take("Games", 4, {"CPU": 1}, NODES)
    room.take("Judgings", 2, {"CPU": 1}, NODES)
    with pytest.raises(BadInput, match=r"cluster\.actors: with 1 for .* need CPU 6\.5, the cluster has 6; lower"):
        room.take("open_answerer", 1, {"CPU": 0.5}, NODES)


@pytest.mark.parametrize(
    ("needs", "most", "left"),
    [
        ({}, 8, 8),
        ({"CPU": 1}, 8, 5),  # three on one node, two on the other
        ({"CPU": 2}, 8, 2),
        ({"CPU": 1, "memory": 4}, 8, 3),
        ({"CPU": 1}, 2, 2),
        ({"CPU": 9}, 8, 1),  # that it does not fit is told when it is asked for
    ],
)
def test_as_many_as_fit_beside_what_was_asked_for(needs: Resources, most: int, left: int) -> None:
    nodes = [{"CPU": 3.0, "memory": 8.0}, {"CPU": 2.5, "memory": 7.0}]
    assert Room().left(needs, most, nodes) == left


def test_what_others_of_the_run_have_is_not_left() -> None:
    room, nodes = Room(), [{"CPU": 4.0}]
    room.take("Games", 3, {"CPU": 1}, nodes)
    assert room.left({"CPU": 1}, 8, nodes) == 1
