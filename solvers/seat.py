"""The manager's seat: the model that operators ask, from its spec; a scripted one plays by rule."""

from actors.channel import Channel
from actors.gateway import Corpus, open_model
from actors.model import Kind, Model, Spec

NO_CORPUS = Corpus({}, {}, 0)


def open_seat(spec: Spec, channel: Channel) -> Model:
    """The model of a spec, its requests announced on ``channel``."""
    if spec.kind is Kind.SCRIPTED:
        from solvers.scripted.model import ScriptedManager

        return ScriptedManager(spec)
    return open_model(spec, NO_CORPUS, channel.gate(spec), channel.again)
