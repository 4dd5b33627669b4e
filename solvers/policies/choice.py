"""Which search policy: the settings of any of them, told apart by ``name``."""

from typing import Annotated

from pydantic import Field

from solvers.policies.aim import AimSettings
from solvers.policies.best_of_n import BestOfNSettings
from solvers.policies.random_dispatch import RandomDispatchSettings
from solvers.policies.scientist_one import ScientistOneSettings

PolicySettings = Annotated[
    AimSettings | BestOfNSettings | RandomDispatchSettings | ScientistOneSettings, Field(discriminator="name")
]
