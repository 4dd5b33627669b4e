"""This user's own folder for what may be made again: it lies with the temporary files, and nobody else may enter."""

import os
import tempfile
from pathlib import Path

from actors.errors import BadInput


def user_folder(name: str) -> Path:
    """The folder ``name`` in it, made if it is missing; BadInput where somebody else has taken the place."""
    folder = Path(tempfile.gettempdir()) / f"heuresis-{os.getuid()}" / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.parent.stat().st_uid != os.getuid():
        raise BadInput(f"{folder.parent}: belongs to somebody else; set TMPDIR to a folder of your own")
    folder.parent.chmod(0o700)
    return folder
