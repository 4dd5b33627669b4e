"""The scripted manager: every operator by rule, behind the same one method as any model."""

from collections.abc import Callable
from time import perf_counter

from actors.amount import Amount
from actors.model import Reply, Spec
from actors.prompt import Request
from actors.row import Row
from solvers.operators.operator import Payload
from solvers.scripted import audit, dispatch, distill, estimate, expand, ideate, organize, plan

Rule = Callable[[Payload, int], Row]
RULES: dict[str, Rule] = {
    name: rule
    for file in (ideate, organize, estimate, dispatch, audit, distill, expand, plan)
    for name, rule in file.RULES.items()
}


class ScriptedManager:
    """A reply hangs on the request's values and seed alone. Tokens are None, since none were made; the cost is zero."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    async def complete(self, request: Request) -> Reply:
        """One reply; a prompt that has no rule is a KeyError."""
        start = perf_counter()
        text = RULES[request.prompt](request.values, request.seed).model_dump_json()
        return Reply(text=text, cost=0.0, latency=perf_counter() - start, finish_reason="stop")

    def ceiling(self, request: Request) -> Amount:
        """A request that costs nothing."""
        return self.spec.most(0)
