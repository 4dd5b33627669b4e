"""This user's own folder for what may be made again: it lies with the temporary files, and nobody else may enter."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from actors.errors import BadInput


def user_folder(name: str) -> Path:
    """The folder ``name`` in it, made if it is missing; BadInput where somebody else has taken the place."""
    own = Path(tempfile.gettempdir()) / f"heuresis-{os.getuid()}"
    with suppress(FileExistsError):
        own.mkdir(mode=0o700)
    found = own.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise BadInput(f"{own}: belongs to somebody else; set TMPDIR to a folder of your own")
    own.chmod(0o700)
    folder = own / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
