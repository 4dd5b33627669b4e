"""``heuresis demo``: three papers by the model that comes along; a short search by rule where an engine answers."""

from collections.abc import Sequence

from rich.console import Console

from actors.errors import BadInput
from pipelines.config import settings
from pipelines.game_settings import GameSettings
from pipelines.plan import plan
from pipelines.report.make import make_report
from pipelines.report.say import say_report
from pipelines.run import run
from pipelines.search_settings import SearchSettings
from pipelines.status import say_status, status

SEARCH = (
    *("experiment=idea_search", "task=radix_sort", "task.profile=small", "cast=scripted", "solver=catalog"),
    *("budget.executions=12", "branches=3", "iterations=2"),
)
SHARED = ("outputs", "store", "cluster")  # of the words given, what the search takes too


def demo(overrides: Sequence[str], screen: Console) -> int:
    """Play both; the exit code, as of `heuresis run`."""
    code = game(overrides, screen)
    return max(code, search(overrides, screen))


def game(overrides: Sequence[str], screen: Console) -> int:
    """The questioning game."""
    read = settings(["experiment=demo", *overrides])
    if isinstance(read, GameSettings) and read.inquisitors == ("smollm2",):
        screen.print("Ten questions a paper, played by SmolLM2-135M: valid structure, weak ideas.")
    code = run([plan(read)], screen)
    say_report(make_report([read.folder]), screen)
    screen.print(f"tables: {read.folder / 'tables'}")
    return code


def search(overrides: Sequence[str], screen: Console) -> int:
    """The idea search; where no engine answers, or its image is not to be had, a line says so."""
    from solvers.containers.engine import Engine
    from solvers.measuring.image import need_base

    read = settings([*SEARCH, *(word for word in overrides if word.split("=")[0].split(".")[0] in SHARED)])
    assert isinstance(read, SearchSettings)
    try:
        with Engine.connect() as engine:
            need_base(engine, (read.read_task().environment / "Dockerfile").read_bytes())
    except BadInput as error:
        screen.print(f"\nthe idea search is left out: {error}")
        return 0
    screen.print("\nTwelve executions of an idea search: ideas by rule, code from a catalogue, measured in containers.")
    code = run([plan(read)], screen)
    say_status(status(read.folder), screen)
    say_report(make_report([read.folder]), screen)
    return code
