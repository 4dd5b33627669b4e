"""A place for one warm container: there when it is asked for, made anew where the last one was lost or closed."""

from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine, EngineFault


class Warm:
    """The container of a cell."""

    def __init__(self, engine: Engine, cell: Cell) -> None:
        self._engine, self.cell = engine, cell
        self._container: Container | None = None
        self._ended = False

    def container(self) -> Container:
        """A running one; EngineFault once it has ended for good."""
        if self._container is not None and self._container.lost():
            self.close()
        if self._container is None:
            self._refuse()
            self._container = Container(self._engine, self.cell)
        held = self._container
        self._refuse()
        return held

    def close(self) -> None:
        """End it, if there is one."""
        held, self._container = self._container, None
        if held is not None:
            held.close()

    def end(self) -> None:
        """End it for good, from any thread: whoever waits for it hears so, and none is made any more."""
        self._ended = True
        self.close()

    def _refuse(self) -> None:
        if self._ended:
            self.close()
            raise EngineFault(f"the place of a container of {self.cell.image} was given up")
