"""The audit of an attempt: whether its score says what it should, and its code is the idea that was assigned.

After AIM (arXiv 2609.38445), auditor. Rules go first (mechanical.py) and a model cannot clear what they found; where
that is enough to discard the attempt no model is asked. What counts is the flags, never a verdict in words. An attempt
whose only flaw is that it is another idea is kept: the idea is rewritten to what the code does, and audited again.
"""

import hashlib
import json
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict

from solvers.attempt import DISCARDING, Attempt, AttemptRole, Audit, Flag, Reconstructed
from solvers.idea import Idea, Source, cut
from solvers.operators.evidence import Evidence
from solvers.operators.operator import Consult, Operator, Payload
from solvers.operators.said import Said
from solvers.operators.views import percent
from solvers.state import Brief


class Auditing(StrEnum):
    """What is done about audits. In a config true is enforce, and false is record: AIM's ablation no_auditor."""

    ENFORCE = "enforce"  # flagged attempts are discarded, or their idea is rewritten
    RECORD = "record"  # flags are kept in the tables, and nothing comes of them
    SKIP = "skip"  # nothing is audited


AuditingSaid = Annotated[
    Auditing, BeforeValidator(lambda said: {True: "enforce", False: "record"}[said] if isinstance(said, bool) else said)
]
Phase = Literal["before", "after"]
TITLE, HYPOTHESIS = 200, 2000
"""Letters, at most."""


class Seen(Reconstructed):
    """The idea that the code is, as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    twist: str | None = None


class Opinion(Said):
    """What a model says of an attempt."""

    flags: tuple[Flag, ...]
    confidence: float
    reasoning: str
    reconstructed_idea: Seen | None = None


def problem(reply: Opinion, payload: Payload) -> str:
    """Why an opinion cannot stand; "" where it can."""
    seen = reply.reconstructed_idea
    if not 0 <= reply.confidence <= 1:
        return f"confidence is {reply.confidence:g}; it goes from 0 to 1"
    if not reply.reasoning.strip():
        return "reasoning is empty"
    if Flag.IDEA_MISMATCH in reply.flags and payload["idea"] is None:
        return "idea_mismatch is not possible here: no idea was assigned"
    if seen is None:
        return "idea_mismatch needs a reconstructed_idea" if Flag.IDEA_MISMATCH in reply.flags else ""
    for name, text, most in (("title", seen.title, TITLE), ("short_hypothesis", seen.short_hypothesis, HYPOTHESIS)):
        if not 0 < len(text.strip()) <= most:
            return f"reconstructed_idea.{name} has {len(text.strip())} letters; 1 to {most} are possible"
    if (seen.mode == "unconventional") != bool(seen.twist and seen.twist.strip()):
        return f"reconstructed_idea.twist belongs to an unconventional idea and to no other, and mode is {seen.mode}"
    return ""


def fallback(payload: Payload) -> Opinion:
    """Nothing beyond what rules found."""
    return Opinion(flags=(), confidence=0.0, reasoning="no reply could stand: only rules were applied")


AUDIT = Operator(name="audit", reply=Opinion, problem=problem, fallback=fallback)


async def audit(
    consult: Consult, task: Brief, attempt: Attempt, idea: Idea | None, evidence: Evidence, phase: Phase, part: str
) -> Audit:
    """The audit of an attempt at ``idea``, after the rewriting at the rewritten one; None where there was no idea."""
    found = [finding.flag for finding in evidence.findings]
    opinion, by_fallback = by_rules(evidence), False
    if not DISCARDING & set(found):
        said = await consult(AUDIT, payload(task, attempt, idea, evidence, phase), part)
        opinion, by_fallback = said.reply, said.fallback
    seen = opinion.reconstructed_idea
    return Audit(
        iteration=attempt.iteration,
        branch=attempt.branch,
        idea_id=None if idea is None else idea.id,
        phase=phase,
        flags=in_order({*found, *opinion.flags}),
        mechanical=tuple(finding.name for finding in evidence.findings),
        confidence=opinion.confidence,
        reasoning=opinion.reasoning,
        reconstructed_idea=None if seen is None else Reconstructed(**seen.model_dump()),
        fallback=by_fallback,
    )


def by_rules(evidence: Evidence) -> Opinion:
    """What rules alone say."""
    return Opinion(flags=(), confidence=1.0, reasoning="; ".join(finding.why for finding in evidence.findings))


def in_order(flags: set[Flag]) -> tuple[Flag, ...]:
    """Each once, in the order of their list."""
    return tuple(flag for flag in Flag if flag in flags)


def payload(task: Brief, attempt: Attempt, idea: Idea | None, evidence: Evidence, phase: Phase) -> dict[str, Any]:
    """What template and scripted manager see, scores x 100. fence: a word that nothing untrusted can contain."""
    shown = evidence.model_dump(mode="json")
    shown["code"] = [{"name": name, "text": text} for name, text in evidence.code.items()]
    idea_shown = None if idea is None else idea.model_dump(mode="json")
    said = json.dumps([shown, idea_shown, task.instruction], sort_keys=True)
    return {
        "task": task.model_dump(mode="json"),
        "attempt": attempt.model_dump(mode="json", include={"iteration", "branch", "metric", "success", "executions"})
        | {"score": percent(attempt.score)},
        "idea": idea_shown,
        "phase": phase,
        **shown,
        "fence": hashlib.sha256(said.encode()).hexdigest()[:16],
    }


def rewritten(idea: Idea, audit: Audit, id: str, iteration: int, techniques: tuple[str, ...]) -> Idea:
    """``idea`` as what its code does, under a new id; its kind and whom it comes from stay.

    techniques: of the code, where a catalogue made it (`Evidence.techniques`). ValueError without a reconstruction.
    """
    seen = audit.reconstructed_idea
    if seen is None:
        raise ValueError(f"branch {audit.branch}: an audit that reconstructs no idea leaves nothing to rewrite to")
    more = (("Twist", seen.twist), ("Grounded in", seen.grounded_in), ("Addresses", seen.addresses))
    parts = [seen.short_hypothesis, *(f"{name}: {text}" for name, text in more if text and text.strip())]
    return idea.model_copy(
        update={
            "id": id,
            "iteration": iteration,
            "source": Source.REFINED,
            "title": seen.title.strip(),
            "short_hypothesis": seen.short_hypothesis.strip(),
            "abstract": cut("\n".join(parts)),
            "experiments": (),
            "risks": "",
            "techniques": techniques,
        }
    )


def noted(attempt: Attempt, audit: Audit) -> Attempt:
    """The attempt with what the audit found, which changes nothing of how it counts."""
    return attempt.model_copy(update={"audit_flags": in_order({*attempt.audit_flags, *audit.flags})})


def settled(attempt: Attempt, audit: Audit, relabel: Idea | None) -> Attempt:
    """The attempt as the audit leaves it. relabel: the rewritten idea, which an idea_mismatch needs.

    An audit after the rewriting can only discard: a rewritten idea is not rewritten again, and `audit_flags` are
    otherwise those of the first audit.
    """
    first = audit.phase == "before"
    flags = in_order({*attempt.audit_flags, *(audit.flags if first else DISCARDING & set(audit.flags))})
    if DISCARDING & set(audit.flags):
        return attempt.model_copy(update={"role": AttemptRole.DISCARDED, "audit_flags": flags})
    if not first or attempt.idea_id is None or Flag.IDEA_MISMATCH not in audit.flags:
        return attempt.model_copy(update={"audit_flags": flags})
    if relabel is None:
        raise ValueError(f"branch {attempt.branch}: idea_mismatch, and no rewritten idea that the score could go to")
    return attempt.model_copy(update={"role": AttemptRole.RELABEL, "idea_id": relabel.id, "audit_flags": flags})
