"""From a spec to a model that answers: the one place that knows every kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actors.model import Kind, Model, Spec
from actors.paper import Paper
from actors.survey import Survey

if TYPE_CHECKING:
    from actors.endpoint import Again, Gate


@dataclass(frozen=True)
class Corpus:
    """The papers of a run and their surveys, by paper; ``seed`` draws the scripted worlds."""

    papers: Mapping[str, Paper]
    surveys: Mapping[str, Survey]
    seed: int


NO_CORPUS = Corpus({}, {}, 0)
"""For models that play no game."""


def open_model(spec: Spec, corpus: Corpus, gate: "Gate | None" = None, again: "Again | None" = None) -> Model:
    """The model of a spec. What a kind needs is imported only here, where it is used.

    gate, again: who is asked before a request goes to an endpoint, and before it goes once more.
    """
    if spec.kind is Kind.SCRIPTED:
        from actors.scripted.model import ScriptedModel
        from actors.scripted.world import build_worlds

        return ScriptedModel(spec, build_worlds(corpus.papers.values(), corpus.surveys, corpus.seed))
    if spec.kind is Kind.EMBEDDED:
        from actors.embedded import embedded_model

        return embedded_model(spec, gate, again)
    from actors.endpoint import EndpointModel

    return EndpointModel(spec, gate, again)
