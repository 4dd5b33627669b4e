"""The image that tasks start from, made with debootstrap where no registry gives it: ``heuresis task base``.

What it was made from stands in the image's labels. The mirror is the one that this machine's apt uses for the same
release, if it has one. Nothing stays behind but the image: debootstrap mounts in a namespace of its own, so that the
folder can be removed whatever became of it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from actors.errors import BadInput
from solvers.containers.engine import LABEL, Engine, one_line

BASE = "debian:bookworm-slim"
RELEASE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"
SECONDS = 900.0  # for debootstrap: half a minute where a mirror is near
REACH_SECONDS = 10.0
PATH = f"{os.defpath}:/usr/local/sbin:/usr/sbin:/sbin"
INDEX = ("apt-get", "indextargets", "--no-release-info", "--format", "$(REPO_URI) $(RELEASE)", "Identifier: Packages")
LEFT_OUT = ("./dev/*", "./proc/*", "./run/*", "./sys/*", "./tmp/*")  # the engine makes its own
EMPTIED = ("var/cache/apt", "var/lib/apt/lists", "var/log", "tmp")
THIS_MACHINE_S = ("etc/hostname", "etc/resolv.conf", "etc/machine-id")  # debootstrap copies two of them


class Source(NamedTuple):
    """A line of apt's sources."""

    uri: str
    suite: str


def make_base(engine: Engine, say: Callable[[str], None], force: bool = False, name: str = BASE) -> str:
    """The id of the base image: the one that is here, a registry's, or one made now. ``force`` makes it in any case."""
    if not force and (here := engine.image(name)):
        say(f"{name} is here already")
        return here
    if not force and engine.pull(name):
        say(f"{name} came from its registry")
        return engine.image(name) or ""
    program = debootstrap()
    known = host_sources()
    mirror = next((source.uri for source in known if source.suite == RELEASE), MIRROR)
    with tempfile.TemporaryDirectory(prefix="heuresis-base-") as folder:
        root, packed = Path(folder) / "root", Path(folder) / "root.tar"
        say(f"making {name} from {mirror} (about half a minute)")
        bootstrap(program, mirror, root, Path(folder) / "log")
        sources = [Source(mirror, RELEASE), *reachable(known)]
        strip(root, sources)
        pack(root, packed)
        say(f"importing {name}, {packed.stat().st_size >> 20} MiB")
        return engine.take_root(name, packed, [*labels(root, sources), 'CMD ["bash"]'])


def debootstrap() -> str:
    """The program; BadInput says how to get it, and that it needs root."""
    program = shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:{PATH}")
    if program is None:
        raise BadInput(
            f"debootstrap is not here, and no registry gives {BASE}; install it (Debian, Ubuntu: apt-get install "
            "debootstrap), or bring the image from another machine (docker save, docker load)"
        )
    if os.geteuid() != 0:
        raise BadInput(f"debootstrap needs root to make {BASE}: sudo .venv/bin/heuresis task base")
    return program


def host_sources() -> list[Source]:
    """What this machine's own apt uses for the release; empty where it has no apt, or another release.

    Only what a container could reach as well, and no address with a password: sources are written into the image.
    """
    try:
        said = subprocess.run(INDEX, capture_output=True, text=True, timeout=30, check=False).stdout
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return []
    found = dict.fromkeys(Source(*line.split()) for line in said.splitlines() if len(line.split()) == 2)
    return [source for source in found if source.suite.startswith(RELEASE) and plain(source.uri)]


def plain(uri: str) -> bool:
    """Whether it is a mirror on the network, named without a user."""
    parts = urllib.parse.urlsplit(uri)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def reachable(known: list[Source]) -> Iterator[Source]:
    """The release's updates and security updates, those of them that answer."""
    mirror = next((source.uri for source in known if source.suite == RELEASE), MIRROR)
    for suite, usual in ((f"{RELEASE}-updates", mirror), (f"{RELEASE}-security", SECURITY)):
        uri = next((source.uri for source in known if source.suite == suite), usual)
        try:
            with urllib.request.urlopen(f"{uri.rstrip('/')}/dists/{suite}/InRelease", timeout=REACH_SECONDS):
                yield Source(uri, suite)
        except (urllib.error.URLError, OSError):
            continue


def bootstrap(program: str, mirror: str, root: Path, log: Path) -> None:
    """Fill ``root``; BadInput with the end of what debootstrap said."""
    command = ["unshare", "--mount", "--", program, "--variant=minbase", RELEASE, str(root), mirror]
    environment = {**os.environ, "LC_ALL": "C", "PATH": f"{os.environ.get('PATH', '')}:{PATH}"}
    with log.open("wb") as heard:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=heard,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            raise BadInput(f"debootstrap was not done after {SECONDS:g} s; is {mirror} slow or far?") from None
        except FileNotFoundError:
            raise BadInput("unshare is not here; install it (Debian, Ubuntu: apt-get install util-linux)") from None
    if done.returncode:
        said = one_line(" ".join(log.read_text(errors="replace").splitlines()[-3:]))
        raise BadInput(f"debootstrap could not make {RELEASE} from {mirror}: {said[-400:] or done.returncode}")


def strip(root: Path, sources: list[Source]) -> None:
    """Without archives, lists, logs and what is this machine's; with sources that work."""
    root.chmod(0o755)  # whatever our umask is
    for name in EMPTIED:
        for path in sorted((root / name).rglob("*"), reverse=True):
            if path.is_symlink() or not path.is_dir():
                path.unlink()
    for name in THIS_MACHINE_S:
        (root / name).unlink(missing_ok=True)
    apt = root / "etc" / "apt"
    apt.mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text("".join(f"deb {uri} {suite} main\n" for uri, suite in sources))


def pack(root: Path, packed: Path) -> None:
    """The tree as a tar."""
    left_out = [f"--exclude={pattern}" for pattern in LEFT_OUT]
    command = ["tar", "--numeric-owner", "--sort=name", *left_out, "-C", str(root), "-cf", str(packed), "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"{packed.parent}: the base could not be packed: {one_line(done.stderr)[-300:]}")


def labels(root: Path, sources: list[Source]) -> Iterator[str]:
    """Where it is from, in the image's own labels."""
    release, packages = root / "etc" / "debian_version", root / "var" / "lib" / "dpkg" / "status"
    told = {
        LABEL: "base",
        f"{LABEL}.made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        f"{LABEL}.made_by": "debootstrap --variant=minbase",
        f"{LABEL}.debian": release.read_text().strip() if release.exists() else RELEASE,
        f"{LABEL}.packages": hashlib.sha256(packages.read_bytes()).hexdigest() if packages.exists() else "",
        f"{LABEL}.sources": ", ".join(f"{uri} {suite}" for uri, suite in sources),
    }
    for key, value in told.items():
        yield f"LABEL {key}={json.dumps(value)}".replace("$", "\\$")
