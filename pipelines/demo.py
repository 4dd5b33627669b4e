"""``heuresis demo``: three papers by the model that comes along; a short search by rule where an engine answers."""

import re
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
SHARED = {"outputs", "store", "cluster"}  # of the words given, what the search takes too
ENDED = {3, 130}  # by a budget, or by the person: nothing more is begun
SCALE = "Scores of 100: 0 is no faster than the code to begin with, 50 as fast as the reference."


def demo(overrides: Sequence[str], screen: Console) -> int:
    """Play both; the exit code, as of `heuresis run`. What stops the first stops the demo."""
    code = game(overrides, screen)
    return code if code in ENDED else max(code, search(overrides, screen))


def game(overrides: Sequence[str], screen: Console) -> int:
    """The questioning game."""
    read = settings(["experiment=demo", *overrides])
    if isinstance(read, GameSettings) and read.inquisitors == ("smollm2",):
        screen.print("The questioning game, played by SmolLM2-135M on this machine: valid structure, weak ideas.")
        screen.print("Each paper is two units, a game and its judging; all of them take some minutes.")
    code = run([plan(read)], screen)
    say_report(make_report([read.folder]), screen)
    screen.print(f"tables: {read.folder / 'tables'}")
    return code


def search(overrides: Sequence[str], screen: Console) -> int:
    """The idea search; where no engine answers, or its image is not to be had, a line says so."""
    from solvers.containers.engine import Engine
    from solvers.measuring.image import need_base

    read = settings([*SEARCH, *(word for word in overrides if re.split("[.=@]", word.lstrip("+~"))[0] in SHARED)])
    assert isinstance(read, SearchSettings)
    try:
        with Engine.connect() as engine:
            need_base(engine, (read.read_task().environment / "Dockerfile").read_bytes())
    except BadInput as error:
        screen.print(f"\nthe idea search is left out: {error}")
        return 0
    screen.print("\nAn idea search of twelve executions: ideas by rule, code from a catalogue, measured in containers.")
    screen.print(SCALE)
    code = run([plan(read)], screen)
    say_status(status(read.folder), screen)
    if code == 0:  # there is no page of a search that has not ended
        say_report(make_report([read.folder]), screen)
    return code
