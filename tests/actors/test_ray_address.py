"""A cluster's address where there is no cluster: refused at once, in a line."""

import socket

import pytest

from actors.errors import BadInput
from actors.ray_pool import RayCluster


def test_nobody_answers_there() -> None:
    with socket.socket() as bound:  # bound, but not listening: nobody else gets the port meanwhile
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(BadInput, match=rf"cluster\.address={address}: cannot be joined \(.*refused\)"):
            RayCluster(address)
