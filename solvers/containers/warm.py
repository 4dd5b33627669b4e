"""A place for one warm container: there when it is asked for, made anew where the last one was lost or closed."""

from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine


class Warm:
    """The container of a cell."""

    def __init__(self, engine: Engine, cell: Cell) -> None:
        self._engine, self.cell = engine, cell
        self._container: Container | None = None

    def container(self) -> Container:
        """A running one."""
        if self._container is not None and self._container.lost():
            self.close()
        if self._container is None:
            self._container = Container(self._engine, self.cell)
        return self._container

    def close(self) -> None:
        """End it, if there is one."""
        if self._container is not None:
            self._container.close()
        self._container = None
