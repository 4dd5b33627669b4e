"""The process that serves the small model; actors/embedded.py starts it as ``-m actors.embedded_server FOLDER``."""

import fcntl
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from actors.embedded import SLOT_TOKENS, SLOTS, parameters, weights

GRACE_SECONDS = 3.0
POLL_SECONDS = 1.0


def serve(folder: Path) -> None:
    """Serves until nobody has used it for a while, or another server has taken its place."""
    import xllamacpp

    says = parameters()
    options = xllamacpp.CommonParams()
    options.model.path = str(weights())
    options.n_parallel = says["slots"]
    options.n_ctx = SLOTS * SLOT_TOKENS
    options.cache_ram_mib = says["cache_mib"]
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = says["threads"]
    options.port = 0
    listening = xllamacpp.Server(options)
    url = f"{listening.listening_address}/v1"
    mine = f"{os.getpid()} {url}\n"
    new = folder / f"address.{os.getpid()}"
    new.write_text(mine)
    new.rename(folder / "address")
    announce(url)
    wait_for_the_last_user(folder, mine)
    os._exit(0)  # llama.cpp's own way out waits for requests that nobody reads any more


def announce(url: str) -> None:
    """Tells whoever started us; from then on stdout is the log."""
    with suppress(BrokenPipeError):  # it was killed meanwhile; others may come
        os.write(1, f"{url}\n".encode())
    os.dup2(2, 1)


def wait_for_the_last_user(folder: Path, mine: str) -> None:
    """Returns when no process has held ``users.lock`` for the grace time, or ``address`` is no longer ours."""
    unused_since: float | None = None
    with (folder / "users.lock").open("w") as users:
        while True:
            time.sleep(POLL_SECONDS)
            try:
                if (folder / "address").read_text() != mine:
                    return
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except FileNotFoundError:
                return
            except BlockingIOError:
                unused_since = None
                continue
            unused_since = unused_since or time.monotonic()
            if time.monotonic() - unused_since >= GRACE_SECONDS:
                (folder / "address").unlink(missing_ok=True)
                return  # still alone: whoever comes now waits for our end, finds no address, and starts anew
            fcntl.flock(users, fcntl.LOCK_UN)


if __name__ == "__main__":
    if os.fork():
        os._exit(0)  # the server is nobody's child: no zombie, nothing to wait for
    serve(Path(sys.argv[1]))
