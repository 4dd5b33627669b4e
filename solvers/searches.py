"""Where searches run: a manager's model, and for each search its loop; the branches are elsewhere."""

from actors.channel import Channel
from actors.desk import Desk
from actors.model import Spec
from actors.pool import Pool
from actors.record import Outcome, Record, recording
from actors.recorded import Call, Fact, Recorded
from actors.replay import Tape
from solvers.branches.branch import Branches
from solvers.branches.crew import Crew
from solvers.branches.station import start_of
from solvers.operators.audit import Auditing
from solvers.operators.council import Council
from solvers.review import Review
from solvers.search import Search, SearchPlan
from solvers.seat import open_seat
from solvers.tasks.packed import PackedTask, settle


class Searches:
    """Several searches of one task at once, each on the branches' pool."""

    def __init__(
        self, spec: Spec, packed: PackedTask, branches: Pool[Branches], desk: Pool[Desk], delay: float
    ) -> None:
        self._channel = Channel(desk, delay)
        self._model = open_seat(spec, self._channel)
        self._branches = branches
        self._task = settle(packed)

    async def play(self, plan: SearchPlan, recorded: Recorded, life: int) -> Record:
        """Search to the end, from wherever it stopped. Stopped where the run sends no more requests."""
        tape = Tape.of(plan.unit, "", recorded, self._channel, life)
        council = Council(plan.unit, self._model, recorded, self._channel, life, plan.draws)
        crew = Crew(self._branches, self._channel, recorded)
        start = start_of(self._task)
        review = None
        if plan.audit is not Auditing.SKIP:
            review = Review(self._task, plan.brief, start, council, plan.audit)
        search = Search(plan, tape, council, crew, review, start, life)
        async with recording(tape) as outcome:
            try:
                await search.run(recorded)
            finally:
                keep(search, tape, council, recorded, outcome)
        return outcome.record


def keep(search: Search, tape: Tape, council: Council, recorded: Recorded, outcome: Outcome) -> None:
    """All rows, calls and facts of a search into its record, those that it does not stand on with them."""
    for table, row, more in search.state.rows:
        outcome.add(table, row, **more)
    calls = [*council.calls, *(call for worked in search.worked for call in worked.calls)]
    facts = [*tape.facts, *(fact for worked in search.worked for fact in worked.facts), *search.checks]
    used = {call_key(call) for call in calls}
    known = {fact_key(fact) for fact in facts}
    outcome.calls = [
        *calls,
        *(call.model_copy(update={"used": False}) for call in recorded.calls if call_key(call) not in used),
    ]
    outcome.facts = [*facts, *(fact for fact in recorded.facts if fact_key(fact) not in known)]


def call_key(call: Call) -> tuple[object, ...]:
    """What a call is known by."""
    return call.part, call.place, call.after


def fact_key(fact: Fact) -> tuple[object, ...]:
    """What a fact is known by."""
    return fact.part, fact.kind, fact.index, fact.about
