"""The manager's seat: the model that operators ask, from its spec; a scripted one plays by rule."""

from actors.channel import Channel
from actors.gateway import NO_CORPUS, open_model
from actors.model import Kind, Model, Spec


def open_seat(spec: Spec, channel: Channel) -> Model:
    """The model of a spec, its requests announced on ``channel``."""
    if spec.kind is Kind.SCRIPTED:
        from solvers.scripted.model import ScriptedManager

        return ScriptedManager(spec)
    return open_model(spec, NO_CORPUS, channel.gate(spec), channel.again)
