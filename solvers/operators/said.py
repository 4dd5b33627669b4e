"""The ancestor of what models reply to operators: frozen, and keys that nobody asked for are left out."""

from pydantic import ConfigDict

from actors.row import Row


class Said(Row):
    """A part of a reply. Models add keys of their own; a reply that is right otherwise is not thrown away for one."""

    model_config = ConfigDict(extra="ignore")
