"""A bare loop over litellm.acompletion, with the prompts of a game that are rendered before.

python tests/bench/bare.py --url http://HOST:PORT/v1 --at-once 128 --calls 1000 --questions 12
"""

import argparse
import asyncio
from typing import Any

from actors.answerer import fitted
from actors.chat import response_format
from actors.dialogue import Answer, AnswerReply, CardReply, QuestionReply, Turn, answer_view, card_view, question_view
from actors.litellm_model import load
from actors.model import Spec
from actors.paper import read_papers
from actors.prompt import Request
from pipelines.settings import ROOT

SPEC = Spec(name="bench", family="bench", model="openai/bench", api_base="http://127.0.0.1:9/v1")
Body = dict[str, Any]


def game(questions: int) -> list[Body]:
    """What a game asks for, in order: messages and shapes."""
    paper = next(iter(read_papers(ROOT / "datasets" / "papers").values()))
    text = fitted(paper, SPEC.context_tokens)[0]
    history = list[Turn]()
    asked = [Request("card", card_view(paper.problem, history), CardReply, 1.0)]
    for t in range(1, questions + 1):
        said = f"Does the method use part {t * 1_234_567_890 % 2**32}?"
        view = question_view(paper.problem, None, tuple(history), "", None)
        asked.append(Request("question", view, QuestionReply, 1.0))
        asked.append(Request("answer", answer_view(paper.solution, paper.abstract, text, said), AnswerReply, 0.0))
        history.append(Turn(t=t, question=said, answer=Answer.UNKNOWN))
    asked.append(Request("card", card_view(paper.problem, history), CardReply, 1.0))
    return [
        {
            "messages": one.messages(),
            "temperature": one.temperature,
            "response_format": response_format(SPEC, one.reply),
            "max_tokens": SPEC.max_tokens,
        }
        for one in asked
    ]


async def main(url: str, at_once: int, calls: int, questions: int) -> None:
    litellm, _ = load()
    bodies = game(questions)
    todo = iter(range(calls))
    fixed = {"model": SPEC.model, "timeout": SPEC.timeout, "num_retries": 0, "max_retries": 0}

    async def client() -> None:
        for number in todo:
            body = bodies[number % len(bodies)]
            response = await litellm.acompletion(**body, **fixed, api_base=url, api_key="none")
            assert response.choices[0].message.content

    await asyncio.gather(*(client() for _ in range(at_once)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--at-once", type=int, required=True)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--questions", type=int, required=True)
    chosen = parser.parse_args()
    asyncio.run(main(chosen.url, chosen.at_once, chosen.calls, chosen.questions))
