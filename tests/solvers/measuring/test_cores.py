"""Nobody times on a core that somebody else times on; a death frees it; the driver stays off."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.errors import BadInput
from solvers.measuring.cores import Cores, alone, open_lock, taken
from solvers.measuring.topology import cpu_list, topology

HOLDER = """
import sys
from pathlib import Path
from solvers.measuring.cores import Cores

with Cores(Path(sys.argv[1]), Path(sys.argv[2]), {0, 1}).lease() as lease:
    print(lease.core, flush=True)
    sys.stdin.readline()
"""
KEEPER = """
import os, subprocess, sys, threading
from solvers.measuring.cores import Cores, allowed_cpus

go, ready = threading.Event(), threading.Event()
seen = []

def work():
    ready.set()
    go.wait()
    seen.append(os.sched_getaffinity(0))

thread = threading.Thread(target=work)
thread.start()
ready.wait()
cores = Cores()
cores.keep_off()
cores.keep_off()
go.set()
thread.join()
assert allowed_cpus() == set(cores.timed) | set(cores.housekeeping), "this test's machine has no hyperthreads"
print(sorted(os.sched_getaffinity(0)), sorted(seen[0]), list(cores.housekeeping), list(cores.timed), flush=True)
if "child" not in sys.argv:
    subprocess.run([sys.executable, "-c", sys.argv[1], "", "child"], check=True)
"""


def tree(root: Path, siblings: Mapping[int, str], offline: tuple[int, ...] = ()) -> Path:
    """A made-up /sys/devices/system/cpu."""
    for cpu, listed in siblings.items():
        folder = root / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(listed + "\n")
    for cpu in offline:
        (root / f"cpu{cpu}").mkdir(exist_ok=True)
        (root / f"cpu{cpu}" / "online").write_text("0\n")
    (root / "cpufreq").mkdir()
    return root


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return tree(tmp_path / "sys", {0: "0", 1: "1"})


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


def holder(locks: Path, root: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(locks), str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "1\n"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    assert process.stdin
    assert process.stdout
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


def test_the_kernel_s_lists_of_cpus() -> None:
    assert cpu_list("0-2,8,10-11\n") == [0, 1, 2, 8, 10, 11]
    assert cpu_list("\n") == []


def test_hyperthreads_are_one_core_and_the_lowest_is_timed_on(tmp_path: Path, locks: Path) -> None:
    root = tree(tmp_path / "sys", {0: "0,4", 1: "1,5", 2: "2,6", 3: "3,7", 4: "0,4", 5: "1,5", 6: "2,6", 7: "3,7"})
    cores = Cores(locks, root, range(8))
    assert (cores.housekeeping, cores.timed) == ((0, 4), (1, 2, 3))
    with cores.lease() as lease:
        assert (lease.core, lease.siblings, lease.shared) == (1, (1, 5), False)
        assert lease.waited < 1


def test_odd_numbers_and_cpus_that_are_off_line(tmp_path: Path) -> None:
    root = tree(tmp_path / "sys", {3: "3,7", 7: "3,7", 12: "12-13", 13: "12-13", 40: "40"}, offline=(13, 5))
    cores = topology(root, {3, 5, 7, 12, 13, 40})
    assert [core.siblings for core in cores] == [(3, 7), (12,), (40,)]


def test_a_mask_hides_cores_and_siblings_but_not_what_the_lock_is_called(tmp_path: Path, locks: Path) -> None:
    root = tree(tmp_path / "sys", {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3", 4: "4-5", 5: "4-5"})
    narrow, wide = Cores(locks, root, {1, 3}), Cores(locks, root, {0, 1, 2, 3})
    assert (narrow.housekeeping, narrow.timed) == ((1,), (3,))
    with narrow.lease() as lease:
        assert (lease.core, lease.siblings) == (3, (2, 3))
        with pytest.raises(TimeoutError, match="all 1 cores"), wide.lease(patience=0):
            pass
    with wide.lease(patience=0) as lease:
        assert lease.core == 2


def test_cpus_that_nothing_is_told_about_are_cores(tmp_path: Path) -> None:
    assert [core.siblings for core in topology(tmp_path, {2, 5})] == [(2,), (5,)]


def test_the_only_core_is_leased_and_that_is_said(tmp_path: Path, locks: Path) -> None:
    cores = Cores(locks, tree(tmp_path / "sys", {0: "0-1", 1: "0-1"}), {0, 1})
    assert (cores.housekeeping, cores.timed) == ((0, 1), (0,))
    before = os.sched_getaffinity(0)
    cores.keep_off()
    assert os.sched_getaffinity(0) == before
    with cores.lease() as lease:
        assert (lease.core, lease.shared) == (0, True)


def test_a_node_without_a_core_for_us_is_refused(tmp_path: Path, locks: Path) -> None:
    with pytest.raises(BadInput, match="no CPU of this node"):
        Cores(locks, tree(tmp_path / "sys", {0: "0"}, offline=(0,)), {0})


def test_a_core_is_one_s_own_and_free_afterwards(two: Path, locks: Path) -> None:
    cores, other = Cores(locks, two, {0, 1}), Cores(locks, two, {0, 1})
    with cores.lease():
        asked = time.monotonic()
        with pytest.raises(TimeoutError), other.lease(patience=0.05):
            pass
        assert 0.05 <= time.monotonic() - asked < 2
    with pytest.raises(ZeroDivisionError), other.lease(patience=0):
        _ = 1 / 0
    with cores.lease(patience=0) as lease:
        assert lease.core == 1


def test_killed_in_a_lease_is_freed_at_once(two: Path, locks: Path) -> None:
    process = holder(locks, two)
    cores = Cores(locks, two, {0, 1})
    with pytest.raises(TimeoutError), cores.lease(patience=0):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    with cores.lease(patience=0) as lease:
        assert lease.core == 1
    end(process)


def test_a_program_started_in_a_lease_does_not_keep_it(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})
    with cores.lease():
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    with cores.lease(patience=0) as lease:
        assert lease.core == 1
    child.kill()
    child.wait()


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_a_forked_child_does_not_keep_it_past_its_end(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})
    ours, theirs = os.pipe()
    with cores.lease():
        child = os.fork()
        if child == 0:
            os.read(ours, 1)
            os._exit(0)
    with cores.lease(patience=0) as lease:
        assert lease.core == 1
    os.write(theirs, b".")
    os.waitpid(child, 0)
    os.close(ours)
    os.close(theirs)


def test_who_waits_gets_the_core_in_turn(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})
    served: list[int] = []
    waited: list[float] = []

    def work(number: int) -> None:
        with cores.lease() as lease:
            served.append(number)
            waited.append(lease.waited)
            time.sleep(0.01)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    with cores.lease():
        for thread in threads:
            thread.start()
            time.sleep(0.03)
    for thread in threads:
        thread.join(10)
    assert served == [0, 1, 2, 3, 4]
    assert waited[0] > 0.1


def test_who_lost_patience_leaves_the_queue(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})
    queue = open_lock(locks / "queue")
    assert taken(queue)
    with pytest.raises(TimeoutError, match="others wait longer"), cores.lease(patience=0.05):
        pass
    os.close(queue)
    with cores.lease(patience=5) as lease:
        assert lease.core == 1


def test_a_waiter_that_is_killed_does_not_stop_the_queue(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})
    with cores.lease():
        waiter = subprocess.Popen([sys.executable, "-c", HOLDER, str(locks), str(two)], stdin=subprocess.PIPE)
        queue = open_lock(locks / "queue")
        while taken(queue):  # until the waiter stands at its head
            os.close(queue)
            time.sleep(0.02)
            queue = open_lock(locks / "queue")
        os.close(queue)
        waiter.kill()
        waiter.communicate()
    with cores.lease(patience=1) as lease:
        assert lease.core == 1


def test_every_user_may_lock_in_the_folder_whatever_our_umask(two: Path, locks: Path) -> None:
    umask = os.umask(0o077)
    try:
        with Cores(locks, two, {0, 1}).lease():
            assert stat.S_IMODE(locks.stat().st_mode) == 0o1777
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in locks.iterdir()}
    finally:
        os.umask(umask)
    assert modes == {"queue": 0o666, "core-1": 0o666}


def test_the_folder_comes_from_the_environment(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEURESIS_CORES", str(tmp_path / "named"))
    Cores(root=two, allowed={0, 1})
    assert (tmp_path / "named").is_dir()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".heuresis")] == []


def test_an_unfit_folder_is_refused(two: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    real.chmod(0o1777)
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "file").write_text("")
    (tmp_path / "own").mkdir(mode=0o700)
    unfit = {"link": "a link", "file": "not a folder", "own": "mode 700", "no/where": "No such file"}
    for name, said in unfit.items():
        with pytest.raises(BadInput, match=said):
            Cores(tmp_path / name, two, {0, 1})
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o700


def test_something_else_in_the_place_of_a_lock_is_refused(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})
    (locks / "core-1").symlink_to(locks / "elsewhere")
    with pytest.raises(BadInput, match="core-1: cannot be locked"), cores.lease():
        pass
    (locks / "core-1").unlink()
    os.mkfifo(locks / "core-1")
    with pytest.raises(BadInput, match="not a regular file"), cores.lease():
        pass
    (locks / "core-1").unlink()
    with cores.lease(patience=0) as lease:
        assert lease.core == 1
    assert not (locks / "elsewhere").exists()


def test_the_driver_its_threads_and_children_stay_off_and_still_see_the_cores(locks: Path) -> None:
    environment = {**os.environ, "HEURESIS_CORES": str(locks)}
    ran = subprocess.run(
        [sys.executable, "-c", KEEPER, KEEPER], env=environment, capture_output=True, text=True, check=False
    )
    if "hyperthreads" in ran.stderr:
        pytest.skip("cores of this machine have siblings")
    assert ran.returncode == 0, ran.stderr
    parent, child = ran.stdout.splitlines()
    assert parent == child
    cores = topology(Path("/sys/devices/system/cpu"), os.sched_getaffinity(0))
    first, others = cores[0].allowed[0], [core.allowed[0] for core in cores[1:]]
    assert parent == f"[{first}] [{first}] [{first}] {others or [first]}"


def test_one_at_a_time_does_what_all_want_done(tmp_path: Path) -> None:
    order: list[str] = []

    def work(name: str) -> None:
        with alone(tmp_path, "building"):
            order.append(f"{name} begins")
            time.sleep(0.05)
            order.append(f"{name} ends")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [line.split()[1] for line in order] == ["begins", "ends"] * 3


def test_who_is_not_wanted_any_more_leaves_the_queue(two: Path, locks: Path) -> None:
    cores = Cores(locks, two, {0, 1})

    def still() -> None:
        raise ZeroDivisionError

    queue = open_lock(locks / "queue")
    assert taken(queue)
    with pytest.raises(ZeroDivisionError), cores.lease(still=still):
        pass
    with pytest.raises(ZeroDivisionError), alone(locks, "queue", still):
        pass
    os.close(queue)
    with cores.lease(), pytest.raises(ZeroDivisionError), Cores(locks, two, {0, 1}).lease(still=still):
        pass
    with cores.lease(patience=5) as lease:
        assert lease.core == 1
