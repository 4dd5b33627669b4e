"""What each Ray actor holds: an instance of a plain class. It knows no Ray itself."""

from collections.abc import Callable
from typing import Any

from actors.errors import Fault


class Unbuilt(Fault):
    """The actor is new, or was started again, and has no instance yet."""


class Host:
    """The Ray actor: an instance of any plain class.

    It is built by a call, not by its constructor: Ray resolves shared values in both, but warns of those in the latter.
    """

    def __init__(self) -> None:
        self._instance: Any = None

    async def build(self, build: Callable[..., Any], *args: Any) -> None:
        """Make the instance, unless another caller just has."""
        if self._instance is None:
            self._instance = build(*args)

    async def run(self, method: str, *args: Any, **kw: Any) -> Any:
        """Run one method of the instance; Unbuilt if there is none."""
        if self._instance is None:
            raise Unbuilt
        return await getattr(self._instance, method)(*args, **kw)
