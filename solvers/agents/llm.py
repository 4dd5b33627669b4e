"""The solver that asks a model: it shows the task, the files and what was measured, and measures what the model edits.

All that it asks hangs on replies and results alone, so that a branch which goes on finds each of them on its tape. A
reply that cannot be followed is told to the model, and costs no execution; several in a row end the branch.
"""

from itertools import count
from typing import Annotated, Literal

from pydantic import Field

from actors.errors import ErrorKind, UnitFault
from actors.model import Model, Reply
from actors.prompt import Request, prompt_bytes
from actors.recorded import Call
from actors.row import Row
from solvers.agents.context import UNSAID, Standing, given, standing, values
from solvers.agents.edits import Mistake, applied, drafted
from solvers.agents.solver import Over, Workbench, seconds_left
from solvers.workspace.solution import Solution

SEAT = "edit"
OF_NO_USE = {ErrorKind.INVALID, ErrorKind.FILTERED, ErrorKind.CONTEXT}
"""Failures that are this request's own. Any other is the endpoint's, and ends the unit until it can be reached."""
CHARS_A_TOKEN = 3  # of code, at the least
LEAST_CHARS = 5000


class LlmSettings(Row):
    """How a model is asked.

    rounds: replies in a row that cannot be followed, after which the branch ends. patience: executions in a row without
    a gain, after which the next change begins with the best code again. context_chars: of a prompt, at most; a model
    with less context gets less.
    """

    kind: Literal["llm"] = "llm"
    temperature: Annotated[float, Field(ge=0, le=2)] = 1.0
    rounds: Annotated[int, Field(ge=1)] = 3
    patience: Annotated[int, Field(ge=1)] = 2
    context_chars: Annotated[int, Field(ge=LEAST_CHARS)] = 60_000


class LlmSolver:
    """See `Solver`."""

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings

    async def solve(self, bench: Workbench) -> None:
        """Ask and measure until nothing is left. UnitFault where no reply could be followed, or none can be had."""
        if bench.model is None:
            raise UnitFault("the llm solver has no model: name one as the search's coder")
        coder = Coder(bench, bench.model, self._settings)
        while bench.left > 0 and (change := await coder.change()) is not None:
            solution, about = change
            await bench.evaluate(solution, about=about)
        if coder.mistake and not bench.executions:
            raise UnitFault(f"no reply in {self._settings.rounds} could be followed: {coder.mistake.splitlines()[0]}")


class Coder:
    """One branch's model, and what it is told. mistake: what was wrong with its last reply."""

    def __init__(self, bench: Workbench, model: Model, settings: LlmSettings) -> None:
        self._bench, self._model, self._settings = bench, model, settings
        self._given = given(bench)
        tokens = model.spec.context_tokens - model.spec.max_tokens
        chars = min(settings.context_chars, CHARS_A_TOKEN * tokens)
        self._chars = max(chars, LEAST_CHARS) - prompt_bytes(SEAT)
        self.mistake = ""

    async def change(self) -> tuple[Solution, str] | None:
        """The code to measure next, and what it is in a line; None after too many replies that cannot be followed."""
        tape, turn, failed = self._bench.tape, len(self._bench.executions) + 1, 0
        now = standing(self._bench, self._settings.patience)
        self.mistake = ""
        for attempt in count():
            call, replayed = await self._said(now, turn, attempt)
            kind = ErrorKind(call.reply.error_kind or "server") if call.reply.text is None else None
            change = self._followed(call.reply, now)
            if not replayed:
                tape.add(call if change is not None else marked(call, self.mistake))
            if kind is not None and kind not in OF_NO_USE:
                if replayed:  # it failed in an earlier life of the unit: that may have passed
                    continue
                await tape.settle()
                raise UnitFault(f"{SEAT} {turn}: {call.reply.error}", kind)
            if change is not None:
                return change
            failed += 1
            if failed == self._settings.rounds:
                break
        await tape.settle()
        return None

    async def _said(self, now: Standing, turn: int, attempt: int) -> tuple[Call, bool]:
        """The recorded call, or a new one; and which of them it is."""
        tape = self._bench.tape
        if (call := tape.replay(SEAT, turn, attempt)) is not None:
            return call, True
        if seconds_left(self._bench) <= 0:  # what it would bring could not be measured
            raise Over("no time is left")
        shown = values(self._bench, self._given, now, self.mistake, self._chars)
        seed = tape.seed(SEAT, turn, attempt)
        request = Request(SEAT, shown, None, self._settings.temperature, seed=seed, unit=tape.unit)
        return await tape.make(self._model, request, SEAT, turn, attempt), False

    def _followed(self, reply: Reply, now: Standing) -> tuple[Solution, str] | None:
        """What a reply makes of the code, and its own words for it; None where it cannot be followed."""
        if reply.text is None:
            if reply.error_kind == ErrorKind.CONTEXT:  # less of it next time
                self._chars = max(self._chars // 2, LEAST_CHARS - prompt_bytes(SEAT))
            if reply.error_kind in OF_NO_USE:
                self.mistake = str(reply.error)
            return None
        try:
            draft = drafted(reply.text)
            solution = applied(now.files, draft.edits, self._given.protected)
            self._fresh(solution, now)
        except Mistake as mistake:
            cut = f"it was cut off at {reply.completion_tokens or 'too many'} tokens: write less in one reply\n"
            self.mistake = (cut if reply.finish_reason == "length" else "") + str(mistake)
            return None
        return solution, draft.about

    def _fresh(self, solution: Solution, now: Standing) -> None:
        """Mistake where the code is known already: measuring it again would say nothing."""
        if solution.hash == now.files.hash:
            raise Mistake("the changes leave the files as they are")
        for row in self._bench.executions:
            if row.solution == solution.hash and row.verdict not in UNSAID:
                raise Mistake(f"the changes make the files those of measurement {row.index} again; try something else")


def marked(call: Call, mistake: str) -> Call:
    """The call, marked as invalid where it brought a text, which then could not be followed."""
    if call.reply.text is None:
        return call
    said = mistake.splitlines()[0][:200]
    marks = {"error_kind": ErrorKind.INVALID.value, "error": f"cannot be followed: {said}"}
    return call.model_copy(update={"reply": call.reply.model_copy(update=marks)})
