"""The base image: what debootstrap is asked for, what is kept of it, what is said where it fails; once for real."""

import http.server
import os
import stat
import tarfile
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

from actors.errors import BadInput
from solvers.containers.base_image import host_sources, make_base
from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine

DEBOOTSTRAP = """#!/bin/sh
echo "$@" >"$ASKED"
test -z "$FAILS" || { echo "I: going"; echo "E: Failed getting release file"; exit 1; }
mkdir -m 700 -p "$3" && cd "$3" && mkdir -p etc/apt var/cache/apt/archives var/lib/apt/lists/partial
mkdir -p var/lib/dpkg dev proc tmp usr/bin
echo 12.99 >etc/debian_version; echo "Package: hello" >var/lib/dpkg/status
echo big >var/cache/apt/archives/hello.deb; echo list >var/lib/apt/lists/mirror_Packages
echo secret-host >etc/hostname; echo nameserver 10.0.0.1 >etc/resolv.conf
echo node >dev/node; echo left >tmp/left; echo tool >usr/bin/tool; chmod 755 usr/bin/tool
"""
APT = """#!/bin/sh
test "$1" = indextargets || exit 1
echo "$MIRROR/debian/ bookworm"; echo "$MIRROR/debian/ bookworm"
echo "$MIRROR/debian/ bookworm-updates"
echo "$MIRROR/debian-security/ bookworm-security"
echo "https://deb.nodesource.com/node_20.x nodistro"
"""
UNSHARE = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
UPDATES = "/debian/dists/bookworm-updates/InRelease"


class FakeEngine:
    """An engine that takes what it is given."""

    def __init__(self, here: str | None = None, pulls: bool = False) -> None:
        self.here, self.pulls = here, pulls
        self.files: dict[str, tarfile.TarInfo] = {}
        self.sources, self.changes = "", list[str]()

    def image(self, name: str) -> str | None:
        return self.here

    def pull(self, name: str) -> bool:
        self.here = "sha256:pulled" if self.pulls else self.here
        return self.pulls

    def take_root(self, name: str, root: Path, changes: Sequence[str] = ()) -> str:
        with tarfile.open(root) as tar:
            self.files = {entry.name: entry for entry in tar.getmembers()}
            file = tar.extractfile("./etc/apt/sources.list")
            assert file
            self.sources = file.read().decode()
        self.changes = list(changes)
        return "sha256:made"

    @property
    def engine(self) -> Engine:
        return cast("Engine", self)


@pytest.fixture
def mirror() -> Iterator[str]:
    """A mirror with updates, but without security updates."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == UPDATES else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mirror: str) -> Path:
    """A PATH that begins with our own debootstrap, apt-get and unshare, and a temporary folder of the test's."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, script in (("debootstrap", DEBOOTSTRAP), ("apt-get", APT), ("unshare", UNSHARE)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("MIRROR", mirror)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path


def test_a_base_is_made_from_the_host_s_mirror_and_holds_nothing_of_the_host(tools: Path, mirror: str) -> None:
    fake, said = FakeEngine(), list[str]()
    assert make_base(fake.engine, said.append) == "sha256:made"
    option, release, root, uri = (tools / "asked").read_text().split()
    assert (option, release, uri) == ("--variant=minbase", "bookworm", f"{mirror}/debian/")
    assert Path(root).is_relative_to(tools / "tmp")
    assert fake.sources == f"deb {mirror}/debian/ bookworm main\ndeb {mirror}/debian/ bookworm-updates main\n"
    files = {name for name, entry in fake.files.items() if not entry.isdir()}
    assert files == {
        f"./{name}" for name in ("etc/apt/sources.list", "etc/debian_version", "var/lib/dpkg/status", "usr/bin/tool")
    }
    assert "./dev" in fake.files
    assert "./var/lib/apt/lists/partial" in fake.files
    assert stat.S_IMODE(fake.files["."].mode) == 0o755, "not debootstrap's 700"
    assert [path.name for path in (tools / "tmp").iterdir()] == [], "the folder is removed"
    assert said[0].startswith(f"making debian:bookworm-slim from {mirror}/debian/")
    labels = dict(line.removeprefix("LABEL ").split("=", 1) for line in fake.changes if line.startswith("LABEL "))
    assert labels["heuresis"] == '"base"'
    assert labels["heuresis.debian"] == '"12.99"'
    assert labels["heuresis.sources"] == f'"{mirror}/debian/ bookworm, {mirror}/debian/ bookworm-updates"'
    assert len(labels["heuresis.packages"]) == 66
    assert fake.changes[-1] == 'CMD ["bash"]'


def test_what_is_here_stays_and_what_a_registry_has_is_taken(tools: Path) -> None:
    said: list[str] = []
    assert make_base(FakeEngine(here="sha256:old").engine, said.append) == "sha256:old"
    assert make_base(FakeEngine(pulls=True).engine, said.append) == "sha256:pulled"
    assert said == ["debian:bookworm-slim is here already", "debian:bookworm-slim came from its registry"]
    assert not (tools / "asked").exists()
    assert make_base(FakeEngine(here="sha256:old", pulls=True).engine, said.append, force=True) == "sha256:made"


def test_a_failure_is_its_last_lines_and_leaves_nothing(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAILS", "yes")
    with pytest.raises(BadInput, match=r"debootstrap could not make bookworm from http.*: I: going E: Failed getting"):
        make_base(FakeEngine().engine, lambda _: None)
    assert list((tools / "tmp").iterdir()) == []


def test_without_debootstrap_or_root_it_is_said_how(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(BadInput, match=r"needs root .*: sudo"):
        make_base(FakeEngine().engine, lambda _: None)
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(BadInput, match="apt-get install debootstrap"):
        make_base(FakeEngine().engine, lambda _: None)


def test_sources_with_a_password_or_of_this_machine_alone_stay_out(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIRROR", "https://me:secret@mirror.example")
    assert host_sources() == []
    monkeypatch.setenv("MIRROR", "file:/srv/mirror")
    assert host_sources() == []
    (tools / "tools" / "apt-get").write_text(
        "#!/bin/sh\necho 'E: The list of sources could not be read.' >&2; exit 100\n"
    )
    assert host_sources() == []


@pytest.mark.soak
def test_a_real_one_can_install_packages(engine: Engine) -> None:
    name = f"heuresis/test-base:{uuid.uuid4().hex}"
    try:
        made = make_base(engine, lambda _: None, force=True, name=name)
        assert engine.image(name) == made
        labels = engine.client.api.inspect_image(name)["Config"]["Labels"]
        assert labels["heuresis.debian"].startswith("12.")
        assert "bookworm-security" in labels["heuresis.sources"]
        look = "cat /etc/apt/sources.list; ls -A /var/lib/apt/lists /var/cache/apt/archives | grep -c deb; echo end"
        cell = Cell(image=name, command=("sh", "-c", look), memory_mb=64)
        with Container(engine, cell) as container:
            said = [container.line(time.monotonic() + 20) for _ in range(5)]
        assert [line.split()[2] for line in said[:3]] == [b"bookworm", b"bookworm-updates", b"bookworm-security"]
        assert said[3:] == [b"0", b"end"]
        more = {
            "Dockerfile": f"FROM {name}\nRUN apt-get update && apt-get install -y --no-install-recommends ed\n".encode()
        }
        engine.build(f"{name}-more", more, {}, 120)
    finally:
        for tag in (f"{name}-more", name):
            if engine.image(tag):
                engine.client.api.remove_image(tag)
