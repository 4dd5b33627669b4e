"""The answerer: has read the paper, remembers no question, says YES, NO or UNKNOWN (questioning game, section 2)."""

import re
from collections.abc import Mapping

from actors.amount import Amount
from actors.ask import ask
from actors.channel import Channel
from actors.desk import Desk
from actors.dialogue import Answer, AnswerReply, answer_view
from actors.gateway import Corpus, open_model
from actors.model import Model, Reply, Spec
from actors.paper import Paper
from actors.pool import Pool
from actors.prompt import Request, prompt_bytes
from actors.replay import Tape

ATTEMPTS = 2  # an answer that cannot be read is asked for once more, then it is an error
CHARS_A_TOKEN = 3.0  # English runs at about four: the estimate errs on the side of fitting
REPLY_AND_QUESTION = 1024  # tokens kept free beside the evidence
BESIDE = 1024  # bytes at most that a request holds beside evidence, question and template: roles, the reply's schema
NUMBER = r"(?:(?:[0-9]+|[A-Z])(?:\.[0-9]+)*[.:]?[ \t]+)?"
REFERENCES = re.compile(rf"^(#{{1,6}})[ \t]+{NUMBER}(?i:references|bibliography)[ \t]*$", re.MULTILINE)
APPENDIX = re.compile(rf"^(#{{1,6}})[ \t]+{NUMBER}(?i:appendix|appendices)\b.*$", re.MULTILINE)


class Answerer:
    """One model in the answerer's seat, for all papers of a run."""

    def __init__(self, model: Model, papers: Mapping[str, Paper]) -> None:
        self.model = model
        self._papers = papers
        self._texts: dict[str, str] = {}

    async def reply(self, paper: str, question: str, seed: int, unit: str) -> Reply:
        """One reply from the paper and this question alone: the same evidence, byte for byte, for every question.

        unit: whose the question is; that goes to the budget, and no further.
        """
        read = self._papers[paper]
        if paper not in self._texts:
            self._texts[paper] = fitted(read, self.model.spec.context_tokens)[0]
        view = answer_view(read.solution, read.abstract, self._texts[paper], question)
        return await self.model.complete(Request("answer", view, AnswerReply, temperature=0.0, seed=seed, unit=unit))


def open_answerer(spec: Spec, corpus: Corpus, desk: Pool[Desk], delay: float) -> Answerer:
    """An answerer whose requests are announced at the desk."""
    channel = Channel(desk, delay)
    return Answerer(open_model(spec, corpus, channel.gate(spec), channel.again), corpus.papers)


class AnswererOf:
    """A model to the game that asks about one paper: behind it is whichever answerer holds the paper.

    route: a number of the paper's own, so that its questions all go to one answerer. evidence: bytes of what it reads
    of the paper; None is not known, so as much as its context holds.
    """

    def __init__(
        self, spec: Spec, answerers: Pool[Answerer], paper: str, route: int = 0, evidence: int | None = None
    ) -> None:
        self._route = route
        self.spec = spec
        self._answerers = answerers
        self._paper = paper
        self._evidence = spec.context_tokens if evidence is None else evidence

    async def complete(self, request: Request) -> Reply:
        """The answerer's reply to the question in the request."""
        question = str(request.values["question"])
        return await self._answerers.call(
            Answerer.reply, self._route, self._paper, question, request.seed, request.unit
        )

    def ceiling(self, request: Request) -> Amount:
        """The most that one HTTP request for it can cost; the answerer renders it, so its parts are added up here."""
        question = str(request.values["question"]).encode()
        return self.spec.most(self._evidence + len(question) + prompt_bytes(request.prompt) + BESIDE)


async def answer(tape: Tape, answerer: Model, question: str, turn: int) -> Answer:
    """YES, NO or UNKNOWN; UnitFault where two replies in a row are none of them. The answerer adds the evidence."""
    request = Request("answer", {"question": question}, AnswerReply, temperature=0.0)
    asked = await ask(tape, answerer, request, AnswerReply, "answer", turn, ATTEMPTS)
    return asked.reply.answer


def fitted(paper: Paper, context_tokens: int) -> tuple[str, str]:
    """The paper's text as it fits the context, and what was left out: none, references, appendices, or both with a +.

    References go first, then appendices from the last one on. Lengths in tokens are estimated at three characters each.
    What still does not fit is left to the endpoint to refuse: an error of the unit, never a silent cut.
    """
    short = len(paper.abstract) + len(paper.solution.model_dump_json())
    room = (context_tokens - REPLY_AND_QUESTION) * CHARS_A_TOKEN - short
    text, left_out = paper.text, list[str]()
    while len(text) > room and (cut := without_section(text, REFERENCES)) is not None:
        text, left_out = cut, [*left_out, "references"]
    while len(text) > room and (cut := without_section(text, APPENDIX)) is not None:
        text, left_out = cut, [*left_out, "appendices"]
    return text, "+".join(dict.fromkeys(left_out)) or "none"


def evidence_bytes(paper: Paper, context_tokens: int) -> int:
    """How much an answerer with such a context reads of the paper, beside the template."""
    text = fitted(paper, context_tokens)[0]
    return len(text.encode()) + len(paper.abstract.encode()) + len(paper.solution.model_dump_json().encode())


def without_section(text: str, heading: re.Pattern[str]) -> str | None:
    """The text without the last section under such a heading, with its subsections; None if there is none."""
    found = list(heading.finditer(text))
    if not found:
        return None
    level = len(found[-1][1])
    end = re.compile(rf"^#{{1,{level}}}[ \t]", re.MULTILINE).search(text, found[-1].end())
    return (text[: found[-1].start()] + (text[end.start() :] if end else "")).strip()
