"""What journals and records hold of a unit, put together from their events: each thing once."""

from actors.journal import Event
from actors.recorded import Call, Fact, Place, Recorded
from actors.row import parse

OTHER_EVENTS = {"again", "over", "life", "late"}  # of tries, money and actors: nothing to replay


class Found:
    """What was found of a unit, each thing once; the first of equals counts."""

    def __init__(self, round: int = 0) -> None:
        self.round = round
        self._calls: dict[tuple[str, Place, str], Call] = {}
        self._facts: dict[tuple[str, str, int, str], Fact] = {}
        self._starts: list[tuple[str, Place]] = []

    def add(self, recorded: Recorded) -> None:
        """What was found before."""
        self._starts += recorded.starts
        for call in recorded.calls:
            self.call(call)
        for fact in recorded.facts:
            self.fact(fact)

    def call(self, call: Call) -> None:
        """A call, with the calls that it was made after."""
        self._calls.setdefault((call.part, call.place, call.after), call)

    def fact(self, fact: Fact) -> None:
        """A fact, or only its beginning, which counts until the fact is found."""
        place = (fact.part, fact.kind, fact.index, fact.about)
        known = self._facts.get(place)
        if known is None or known.value is None:
            self._facts[place] = fact

    def take(self, part: str, event: Event, where: str) -> None:
        """An event of a journal."""
        if "start" in event:
            seat, turn, attempt = event["start"]
            self._starts.append((part, (seat, turn, attempt)))
        elif "began" in event:
            kind, index, about, round = event["began"]
            begun = {"kind": kind, "index": index, "about": about, "round": round, "value": None, "at": event["at"]}
            self.fact(parse(Fact, {"part": part, **begun}, where))
        elif "fact" in event:
            self.fact(parse(Fact, event["fact"], where))
        elif not event.keys() & OTHER_EVENTS:
            self.call(parse(Call, event["call"], where))

    def recorded(self) -> Recorded:
        """All of it; a start whose call is there is no lost one."""
        made = {(call.part, call.place) for call in self._calls.values()}
        return Recorded(
            round=self.round,
            calls=tuple(self._calls.values()),
            starts=tuple(start for start in self._starts if start not in made),
            facts=tuple(self._facts.values()),
        )
