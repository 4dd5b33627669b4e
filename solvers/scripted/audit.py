"""The scripted auditor: it reads which techniques the code was made of, and compares them with the idea's."""

from collections.abc import Callable

from actors.row import Row
from solvers.attempt import Flag
from solvers.operators.audit import HYPOTHESIS, TITLE, Opinion, Seen
from solvers.operators.evidence import chosen
from solvers.operators.operator import Payload


def audit(payload: Payload, seed: int) -> Row:
    """idea_mismatch where a technique that the idea names is not in the code. Nothing where either names none.

    A rewritten idea says what the code is, so it matches.
    """
    del seed
    techniques = chosen(payload["choice"])
    wanted = tuple(payload["idea"]["techniques"]) if payload["idea"] else ()
    missing = [name for name in wanted if name not in techniques]
    if not (missing and techniques) or payload["phase"] == "after":
        return Opinion(flags=(), confidence=0.9, reasoning="The code is what the idea names, as far as it can be told.")
    return Opinion(
        flags=(Flag.IDEA_MISMATCH,),
        confidence=0.9,
        reasoning=f"The idea names {', '.join(missing)}; the code has {', '.join(techniques)} instead.",
        reconstructed_idea=rebuilt(techniques, dict(payload["task"]["techniques"])),
    )


def rebuilt(techniques: tuple[str, ...], about: dict[str, str]) -> Seen:
    """The idea that these techniques are."""
    said = "; ".join(about.get(name, name) for name in techniques)
    return Seen(
        title=" + ".join(techniques)[:TITLE],
        short_hypothesis=said[:HYPOTHESIS],
        grounded_in="the task's catalogue of techniques",
        addresses="the time of a call",
        mode="conservative",
    )


RULES: dict[str, Callable[[Payload, int], Row]] = {"audit": audit}
