"""The answerer: has read the paper, remembers no question, says YES, NO or UNKNOWN (questioning game, section 2)."""

import re

from actors.ask import ask
from actors.dialogue import Answer, AnswerReply, answer_view
from actors.fault import ErrorKind, UnitFault
from actors.gateway import Corpus, open_model
from actors.model import Spec
from actors.paper import Paper
from actors.prompt import Request
from actors.row import Row
from actors.tape import Call, Reel, from_reel

ATTEMPTS = 2  # an answer that cannot be read is asked for once more, then it is an error
CHARS_A_TOKEN = 3.0  # English runs at about four: the estimate errs on the side of fitting
REPLY_AND_QUESTION = 1024  # tokens kept free beside the evidence
HEADING = r"^#{1,6}[ \t]*(?:[\dA-Z.]+[ \t]+)?"


class Answered(Row):
    """What came of one question: the answer or the fault, and the calls that were paid either way."""

    answer: Answer | None
    calls: tuple[Call, ...]
    error_kind: ErrorKind | None = None
    error: str | None = None


class Answerer:
    """One model in the answerer's seat, for all papers of a run."""

    def __init__(self, spec: Spec, corpus: Corpus) -> None:
        self.model = open_model(spec, corpus)
        self._papers = corpus.papers
        self._texts: dict[str, str] = {}

    async def answer(self, paper: str, question: str, turn: int, reel: Reel) -> Answered:
        """YES, NO or UNKNOWN from the paper and this question alone."""
        read = self._papers[paper]
        if paper not in self._texts:
            self._texts[paper] = fitted(read, self.model.spec.context_tokens)[0]
        view = answer_view(read.solution, read.abstract, self._texts[paper], question)
        tape = from_reel(reel, "answer", turn)
        try:
            request = Request("answer", view, AnswerReply, temperature=0.0)
            asked = await ask(tape, self.model, request, AnswerReply, "answer", turn, ATTEMPTS)
        except UnitFault as fault:
            return Answered(answer=None, calls=tuple(tape.calls), error_kind=fault.kind, error=str(fault))
        return Answered(answer=asked.reply.answer, calls=tuple(tape.calls))


def fitted(paper: Paper, context_tokens: int) -> tuple[str, str]:
    """The paper's text as it fits the context, and what was left out: none, references, appendices, or both.

    References go first, then appendices from the last one on. Lengths in tokens are estimated at three characters each.
    What still does not fit is left to the endpoint to refuse: an error of the unit, never a silent cut.
    """
    short = len(paper.abstract) + len(paper.solution.model_dump_json())
    room = (context_tokens - REPLY_AND_QUESTION) * CHARS_A_TOKEN - short
    text, left_out = paper.text, []
    if len(text) > room:
        without = re.sub(HEADING + r"references\b.*?(?=^#{1,2}[ \t]|\Z)", "", text, flags=re.I | re.M | re.S)
        if without != text:
            text, left_out = without.strip(), ["references"]
    while len(text) > room:
        heads = list(re.finditer(HEADING + r"appendix\b", text, flags=re.I | re.M))
        if not heads:
            break
        text, left_out = text[: heads[-1].start()].strip(), [*left_out, "appendices"]
    return text, "+".join(dict.fromkeys(left_out)) or "none"
