"""Units of the idea search: one search each, known by its task, its budget, who plays, and the replicate."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any, Literal

from actors.prompt import ROOT, prompt_hash
from pipelines.search_settings import SearchSettings
from pipelines.settings import Only


@dataclass(frozen=True, slots=True)
class SearchUnit:
    """One search. ``id`` is ``search/task/policy/solver/model/replicate/digest``; ``model`` is the manager's."""

    id: str
    task: str
    profile: str
    policy: str
    solver: str
    model: str
    replicate: int
    kind: Literal["search"] = "search"

    @property
    def parent(self) -> None:
        """It waits for no other unit."""

    def choices(self) -> dict[str, Any]:
        """What ``only.*`` may pick it by."""
        return {"replicate": self.replicate}

    def chosen(self, only: Only) -> bool:
        """Whether ``only.*`` leaves it in."""
        return only.leaves(self.choices())

    def keys(self) -> dict[str, Any]:
        """The columns that every table of the search begins with."""
        return {
            "unit": self.id,
            "task": self.task,
            "profile": self.profile,
            "policy": self.policy,
            "solver": self.solver,
            "model": self.model,
            "replicate": self.replicate,
        }

    def facts(self) -> dict[str, Any]:
        """What is known of it before it is played, as columns of ``units``."""
        return {"kind": self.kind}


def digest(content: Mapping[str, Any]) -> str:
    """Sixteen hex digits of the SHA-256 of ``content``."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def searches(settings: SearchSettings) -> list[SearchUnit]:
    """The searches of a run, one a replicate; ``settings`` are pinned to the task as it is."""
    played = settings.played()
    del played["replicates"]
    fixed = {**played, "stage": "search", "prompts": prompts()}
    task, policy, solver = settings.task, settings.policy.name, settings.solver.kind
    units = []
    for replicate in range(settings.replicates):
        own = digest({**fixed, "replicate": replicate})
        path = f"search/{task.name}/{policy}/{solver}/{settings.manager}/r{replicate}/{own}"
        units.append(SearchUnit(intern(path), task.name, task.profile, policy, solver, settings.manager, replicate))
    return units


def prompts() -> dict[str, str]:
    """The templates of the search, by hash: whichever a policy uses."""
    return {path.stem: prompt_hash(path.stem) for path in sorted((ROOT / "solvers" / "prompts").glob("*.j2"))}
