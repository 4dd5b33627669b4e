"""From a solver's settings to a solver."""

from solvers.agents.catalog import CatalogSettings, CatalogSolver
from solvers.agents.choice import SolverSettings
from solvers.agents.llm import LlmSettings, LlmSolver
from solvers.agents.solver import Solver


def open_solver(settings: SolverSettings) -> Solver:
    """The solver that settings describe. What a kind needs is imported only here, where it is used."""
    if isinstance(settings, CatalogSettings):
        return CatalogSolver(settings)
    if isinstance(settings, LlmSettings):
        return LlmSolver(settings)
    from solvers.agents.command import CommandSolver

    return CommandSolver(settings)
