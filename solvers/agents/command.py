"""The solver `command`: any coding agent's CLI, at work in the branch's container.

The agent edits the workspace, calls `evaluate`, which is counted here, and reaches models through our gateway alone.
An agent cannot be replayed: in a later life of the branch it begins anew, from what was measured. Its result is the
best of what was evaluated; where it never evaluated, its last workspace is, once.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from actors.endpoint import EndpointModel
from actors.endpoint_error import EndpointError
from actors.errors import BadInput, ErrorKind, UnitFault
from solvers.agents.agent_image import agent_image
from solvers.agents.briefing import Begin, begin, briefing
from solvers.agents.command_settings import (
    HOME,
    LONGEST_WORD,
    MODEL_SOCKET,
    PROMPT_FILE,
    RUN,
    CommandSettings,
    filled,
)
from solvers.agents.gateway import Gateway, place_of
from solvers.agents.session import Session
from solvers.agents.solver import Over, Workbench, seconds_left
from solvers.agents.wire import wired
from solvers.containers.container import Cell, Gone
from solvers.containers.engine import tar_of
from solvers.workspace.solution import Refused, Solution, to_tar

FACT = "agent"  # how an agent's life ended: a branch whose agent is done does not begin another
KILLED = ("-9", "137")  # itself, or what its shell ran
TOLD = 2000  # characters of an agent's last words


class CommandSolver:
    """See `solvers.agents.solver.Solver`. BadInput where its image cannot be had, or its model is at no endpoint."""

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings

    async def solve(self, bench: Workbench) -> None:
        """One life of the agent."""
        model = await endpoint(bench)
        begun = begin(bench)
        ended = bench.tape.recall(FACT, bench.tape.round)
        if (ended is not None and ended.value is not None) or begun.left <= 0:
            return
        if seconds_left(bench) <= 0:
            raise Over("no time is left")
        image = await asyncio.to_thread(agent_image, bench.engine, bench.task, self._settings)
        token = secrets.token_urlsafe(24)
        async with self._session(bench, image, begun) as session:
            session.serve(Gateway(bench.tape, model, token, session.fail))
            ending = await self._life(bench, begun, session, token)
            said = {"ended": ending, "evaluated": session.asked, "said": session.said.text()}
            await bench.tape.keep_fact(FACT, bench.tape.round, self._settings.command[0], said)

    @asynccontextmanager
    async def _session(self, bench: Workbench, image: str, begun: Begin) -> AsyncIterator[Session]:
        async with wired(bench.engine, cell(self._settings, image, bench.uid, bench.labels)) as wire:
            session = Session(bench, self._settings, wire, begun.given)
            try:
                yield session
            finally:
                await session.close()

    async def _life(self, bench: Workbench, begun: Begin, session: Session, token: str) -> str:
        """From the first word to the last measurement; how the agent ended."""
        try:
            ending = await self._run(bench, begun, session, token)
            await session.finish()
            if session.asked == 0:
                await self._last(bench, begun, session, ending)
        except Gone as gone:
            if not await asyncio.to_thread(bench.engine.answers):
                raise
            await session.finish()
            if session.asked == 0:
                raise UnitFault(f"the agent ended its own container: {gone}", ErrorKind.INVALID) from None
            return "gone"
        return ending

    async def _run(self, bench: Workbench, begun: Begin, session: Session, token: str) -> str:
        settings, model = self._settings, bench.model
        prompt = briefing(bench, settings, begun)
        short = prompt if len(prompt.encode()) <= LONGEST_WORD else f"Read {PROMPT_FILE} and do what it says."
        values = {
            "prompt": short,
            "prompt_file": PROMPT_FILE,
            "workspace": settings.workspace,
            "base_url": settings.base_url,
            "socket": MODEL_SOCKET,
            "token": token,
            "model": model.spec.name if model else "",
            "home": HOME,
        }
        await session.ready()
        await session.put(settings.workspace, to_tar(Solution(files=begun.given | begun.solution.files)))
        await session.put(RUN, tar_of({"prompt.md": prompt.encode()}).getvalue())
        words = [filled(word, values) for word in settings.command]
        environment = {"HOME": HOME} | {name: filled(value, values) for name, value in settings.environment.items()}
        seconds = max(1.0, seconds_left(bench) - settings.spare_seconds)
        try:
            return await session.run(words, environment, seconds)
        except TimeoutError:  # its relay does not answer any more
            return "lost"

    async def _last(self, bench: Workbench, begun: Begin, session: Session, ending: str) -> None:
        """An agent that never evaluated: what it left is, if it can be."""
        if ending == "lost":
            raise UnitFault("the relay in the agent's container did not answer when its time was over")
        try:
            solution = await session.workspace()
        except Refused as error:
            raise UnitFault(f"the agent evaluated nothing, and left no solution: {error}", ErrorKind.INVALID) from None
        if solution.hash == begun.solution.hash and ending != "0":
            memory = ending in KILLED and await session.ran_out_of_memory()
            raise UnitFault(failed("memory" if memory else ending, session.said.text()), ErrorKind.INVALID)
        if not measured(bench, solution):
            await bench.evaluate(solution, about="what the agent left")


async def endpoint(bench: Workbench) -> EndpointModel:
    """The branch's model; BadInput where an agent cannot reach it, UnitFault where there is no key for it."""
    if not isinstance(bench.model, EndpointModel):
        raise BadInput(
            "solver=command: needs a coder at an endpoint; set coder=MODEL, one of conf/model/ with an address"
        )
    try:
        await place_of(bench.model)
    except EndpointError as error:
        raise UnitFault(f"{bench.model.spec.name}: {error.text}", error.kind) from None
    return bench.model


def cell(settings: CommandSettings, image: str, uid: int, labels: dict[str, str]) -> Cell:
    """The agent's container: no network, no rights, a root that cannot be written, and folders of a size."""
    return Cell(
        image=image,
        command=("/heuresis/bin/relay",),
        memory_mb=settings.memory_mb,
        processes=settings.processes,
        user=f"{uid}:{uid}",
        tmpfs={**settings.tmpfs, settings.workspace: settings.workspace_mb, RUN: 1},
        labels=labels,
    )


def measured(bench: Workbench, solution: Solution) -> bool:
    """Whether it was already, in this life or an earlier one."""
    return solution.hash in {row.solution for row in [*bench.executions, *(row for row, _ in bench.tried)]}


def failed(ending: str, said: str) -> str:
    """An agent that changed nothing."""
    known = {"late": "was stopped at its time limit", "memory": "ran out of memory"}
    how = known.get(ending, f"ended with exit code {ending}")
    return f"the agent {how} and changed nothing; it said: {' '.join(said[-TOLD:].split()) or 'nothing'}"
