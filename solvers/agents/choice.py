"""The solvers that a run may choose from."""

from typing import Annotated

from pydantic import Field

from solvers.agents.catalog import CatalogSettings
from solvers.agents.command_settings import CommandSettings
from solvers.agents.llm import LlmSettings

SolverSettings = Annotated[CatalogSettings | LlmSettings | CommandSettings, Field(discriminator="kind")]
