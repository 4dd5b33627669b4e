"""What models say cannot steer a terminal."""

import io

from rich.console import Console

from actors.visible import visible
from pipelines.progress import Meter

NASTY = "a\x1b[2Jb\x07c\u202ed\x00e"


def test_what_a_terminal_would_obey_is_shown_as_a_question_mark() -> None:
    assert visible(NASTY) == "a?[2Jb?c?d?e"
    assert visible("two\nlines\tand ünïcode") == "two\nlines\tand ünïcode"


def test_news_of_a_run_are_one_line_whatever_a_title_holds() -> None:
    said = io.StringIO()
    Meter(Console(file=said), 1).say(f"title {NASTY}\nmore")
    assert said.getvalue() == "title a?[2Jb?c?d?e more\n"
