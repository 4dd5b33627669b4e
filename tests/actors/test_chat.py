"""OpenAI's chat format: the schema that is asked for, and what an answer costs."""

import json

import pytest

from actors.chat import cost, response_format, strict_schema
from actors.dialogue import AnswerReply, CardReply, QuestionReply, RatingReply
from actors.model import Price, Spec
from actors.row import Row


@pytest.mark.parametrize(("reply", "strings"), [(QuestionReply, 1), (CardReply, 4), (RatingReply, 1), (AnswerReply, 0)])
def test_max_chars_bounds_every_string_and_no_enum(reply: type[Row], strings: int) -> None:
    bounded, free = json.dumps(strict_schema(reply, 90)), json.dumps(strict_schema(reply, None))
    assert bounded.count('"maxLength": 90') == strings
    assert "Length" not in free
    assert not any(word in bounded + free for word in ('"title"', '"description"', "$ref", "$defs"))


def test_a_tighter_bound_of_the_reply_itself_is_kept() -> None:
    assert strict_schema(QuestionReply, 9999)["properties"]["question"]["maxLength"] == 2000


def test_plain_text_is_asked_for_in_no_shape() -> None:
    spec = Spec(name="m", family="f", model="openai/m")
    assert response_format(spec, None) is None
    assert response_format(spec, QuestionReply) is not None


@pytest.mark.parametrize(
    ("price", "counts", "dollars"),
    [
        (Price(input=1, cached=0.1, output=4), (100, 10, 60), (40 + 6 + 40) / 1e6),
        (Price(input=1, output=4), (100, 10, 60), (100 + 40) / 1e6),
        (Price(input=1, cached=0.1, output=4), (100, 10, None), (100 + 40) / 1e6),
        (Price(input=1), (100, 10, 0), None),
        (Price(output=1), (100, 10, 0), None),
        (Price(input=0, output=0), (100, 10, 0), 0.0),
        (Price(input=1, output=4), (None, 10, None), None),
        (Price(input=1, output=4), (100, None, None), None),
    ],
)
def test_cost(price: Price, counts: tuple[int | None, int | None, int | None], dollars: float | None) -> None:
    expected = None if dollars is None else pytest.approx(dollars)
    assert cost(price, *counts) == expected
