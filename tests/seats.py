"""Two papers with their surveys, a desk, scripted models, and a model that says its lines: for the tests of seats."""

from collections.abc import Callable, Sequence
from typing import Any

from actors.amount import Amount
from actors.budget import Verdict
from actors.desk import Desk, Ruling
from actors.dialogue import Answer, Card, Turn
from actors.errors import ErrorKind
from actors.gateway import Corpus
from actors.model import Kind, Persona, Reply, Spec
from actors.paper import read_paper
from actors.prompt import Request
from actors.record import Record
from actors.recorded import Recorded
from actors.survey import read_survey
from pipelines.settings import ROOT

NAMES = ("batch-normalization", "denoising-diffusion")
CORPUS = Corpus(
    {name: read_paper(ROOT / "datasets" / "papers" / f"{name}.md") for name in NAMES},
    {name: read_survey(ROOT / "datasets" / "surveys" / f"{name}.json") for name in NAMES},
    seed=0,
)
PAPER, SURVEY = CORPUS.papers[NAMES[0]], CORPUS.surveys[NAMES[0]]
NOTHING = Recorded()
CARD = Card(t=20, contribution="the idea", approach="a way", components=("a part",), novelty="all new", confidence=73)


def scripted(name: str, family: str = "script", **persona: Any) -> Spec:
    """A player by rule."""
    return Spec(name=name, kind=Kind.SCRIPTED, family=family, persona=Persona.model_validate(persona))


class OpenDesk:
    """A pool whose desk allows everything and keeps nothing."""

    async def call(self, method: Any, route: int | None, *args: Any) -> Any:
        """`Desk.take` alone is called where no request goes to an endpoint."""
        assert method is Desk.take
        return [Ruling(Verdict.GO) for _ in args[1]]


DESK = OpenDesk()


def turns(*questions: str, answer: Answer = Answer.YES) -> list[Turn]:
    """Turns from 1 on, all with the same answer."""
    return [Turn(t=t, question=question, answer=answer) for t, question in enumerate(questions, 1)]


def again(record: Record, round: int = 0, calls: int | None = None) -> Recorded:
    """What is on disk of a unit that was played: all of its calls, or the first few."""
    return Recorded(round=round, calls=tuple(record.calls[:calls]))


class Script:
    """A model that says its lines in order, or what a function makes of a request; an ErrorKind is an endpoint's."""

    def __init__(self, says: Sequence[str | ErrorKind] | Callable[[Request], str], name: str = "script") -> None:
        self.spec = Spec(name=name, model="x/y", family="script")
        self._says = says if callable(says) else iter(says)
        self.heard: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.heard.append(request)
        line = self._says(request) if callable(self._says) else next(self._says)
        if isinstance(line, ErrorKind):
            return Reply(text=None, latency=0.0, error_kind=line, error="it failed")
        return Reply(text=line, latency=0.0)

    def ceiling(self, request: Request) -> Amount:
        return Amount()

    @property
    def words(self) -> str:
        """All that the last request says."""
        return "\n".join(message["content"] for message in self.heard[-1].messages())
