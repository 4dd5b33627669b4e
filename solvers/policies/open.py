"""From a policy's settings to the policy."""

from solvers.operators.operator import Consult
from solvers.policies.aim import Aim, AimSettings
from solvers.policies.best_of_n import BestOfN, BestOfNSettings
from solvers.policies.choice import PolicySettings
from solvers.policies.policy import Policy
from solvers.policies.random_dispatch import RandomDispatch, RandomDispatchSettings
from solvers.policies.scientist_one import ScientistOne


def open_policy(settings: PolicySettings, consult: Consult) -> Policy:
    """The policy, at its beginning."""
    match settings:
        case AimSettings():
            return Aim(settings, consult)
        case BestOfNSettings():
            return BestOfN(settings, consult)
        case RandomDispatchSettings():
            return RandomDispatch(settings, consult)
        case _:
            return ScientistOne(settings, consult)


IDEA_DRIVEN = {"aim", "best_of_n", "random_dispatch", "scientist_one"}


def wants_brief(settings: PolicySettings) -> bool:
    """Whether the task's brief.md is for it: it is for policies that work on ideas, not for those that work on code."""
    return settings.name in IDEA_DRIVEN
