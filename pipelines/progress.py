"""How far a run is: one live line on a terminal, a plain line now and then elsewhere."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from actors.visible import visible

PLAIN_EVERY = 10.0  # seconds between plain lines


class Meter:
    """Counts units as they end, on the console it is given."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = self._failed = self._calls = 0
        self._started = self._said = time.monotonic()
        self._told = -1
        self._live: Progress | None = None
        if console.is_terminal:
            self._live = Progress(
                SpinnerColumn(),
                TextColumn("playing"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("units"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[more]}"),
                console=console,
                transient=True,
            )
            self._task = self._live.add_task("units", total=total, more="")

    def __enter__(self) -> "Meter":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        elif self._done != self._told and (self._done < self._total or time.monotonic() - self._started > PLAIN_EVERY):
            self._say()

    def more(self, units: int) -> None:
        """So many more are to be played."""
        self._total += units
        self.say(f"{units} more units to play")
        if self._live is not None:
            self._live.update(self._task, total=self._total)

    def ended(self, failed: bool, calls: int, why: str) -> None:
        """One more unit has ended; a failure is shown as it happens."""
        self._done += 1
        self._failed += failed
        self._calls += calls
        if failed:
            self.say(f"failed  {why}")
        if self._live is not None:
            self._live.update(self._task, completed=self._done, more=self._more())
        elif time.monotonic() - self._said > PLAIN_EVERY:
            self._say()

    def say(self, text: str) -> None:
        """A line for the reader."""
        self._console.print(visible(" ".join(text.split())), highlight=False, markup=False, soft_wrap=True)

    def _more(self) -> str:
        rate = self._calls / max(time.monotonic() - self._started, 1e-9)
        return f"{self._failed} failed, {self._calls:,} calls, {rate:,.0f}/s"

    def _say(self) -> None:
        self._said, self._told = time.monotonic(), self._done
        self._console.print(f"{self._done} of {self._total} units, {self._more()}", highlight=False)
