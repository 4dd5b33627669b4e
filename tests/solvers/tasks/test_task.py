"""Reading a task's folder: what is wrong is said in one line that names the file."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.errors import BadInput
from solvers.tasks.task import SHIPPED, Task, Trust, find_task, read_task, task_folders

Spoil = Callable[[str, str], Path]


@pytest.fixture
def spoil(toy: Task, tmp_path: Path) -> Spoil:
    """The toy's folder with one thing in task.toml replaced."""

    def spoiled(old: str, new: str) -> Path:
        folder = tmp_path / "twice"
        shutil.copytree(toy.folder, folder)
        text = (folder / "task.toml").read_text()
        assert old in text
        (folder / "task.toml").write_text(text.replace(old, new))
        return folder

    return spoiled


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[metadata]", "[metadata", "task.toml: not TOML"),
        ("memory_mb = 512", "memory_mb = 1", "environment.memory_mb: Input should be greater than or equal to 16"),
        ("cases = 64", "cases = 0", "measure.profile.small.cases: Input should be greater"),
        ("build_sec = 20.0", "build_seconds = 20.0", "measure.build_seconds: unknown key"),
        ('language = "c"\nsources', 'language = "pascal"\nsources', "measure.language: Input should be 'c', 'c++' or"),
        ('metric = "seconds"', 'metric = "words"', "[measure] needs [optimization] metric = 'seconds'"),
        ('protected = ["twice.h"]', 'protected = ["other.h"]', "no environment/other.h"),
        ("n = 500000", '"n n" = 5', "parameters"),
        ("n = 500000", "cases = 500000", "'cases' is a word of the harness"),
        ("score = 0.0002", "score = 0.2", "a reference that is not faster than the baseline"),
    ],
)
def test_what_is_wrong_is_named(spoil: Spoil, old: str, new: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        read_task(spoil(old, new))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_keys_of_other_collections_are_passed_over(spoil: Spoil) -> None:
    task = read_task(spoil('title = "Double numbers"', 'title = "Double numbers"\nauthor = "x"\ndifficulty = 3'))
    assert task.description.metadata.title == "Double numbers"


@pytest.mark.parametrize("missing", ["instruction.md", "tests/shim.c", "environment/twice.c", "solution"])
def test_what_is_missing_is_named(toy: Task, tmp_path: Path, missing: str) -> None:
    folder = tmp_path / "twice"
    shutil.copytree(toy.folder, folder)
    shutil.rmtree(folder / missing, ignore_errors=True)
    (folder / missing).unlink(missing_ok=True)
    with pytest.raises(BadInput, match=f"no {missing}"):
        read_task(folder)


def test_a_link_in_the_reference_is_named(toy: Task, tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    shutil.copytree(toy.folder, folder)
    (folder / "solution" / "more.c").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match=r"solution: more\.c: a symbolic link"):
        read_task(folder)


def test_without_measure_it_is_foreign(spoil: Spoil) -> None:
    folder = spoil("[measure]", "[ours]")
    text = (folder / "task.toml").read_text().replace("[measure.", "[ours.")
    (folder / "task.toml").write_text(text)
    (folder / "tests" / "test.sh").write_text("true")
    task = read_task(folder)
    assert task.trust is Trust.FOREIGN
    with pytest.raises(BadInput, match="only its own verifier"):
        task.profile("small")


def test_a_name_or_a_path(toy: Task, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_task("radix_sort").folder == SHIPPED / "radix_sort"
    assert find_task(str(toy.folder)).name == "twice"
    (tmp_path / "radix_sort").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_task("radix_sort").folder == SHIPPED / "radix_sort"  # a name means ours, whatever lies around
    with pytest.raises(BadInput, match=r"no task\.toml"):
        find_task("./radix_sort")
    with pytest.raises(BadInput, match="unknown task 'radix_srt'; did you mean 'radix_sort'"):
        find_task("radix_srt")


def test_the_digest_changes_with_whatever_can_change_a_score(toy: Task, tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    shutil.copytree(toy.folder, folder)
    seen = {read_task(folder).digest()}
    assert seen == {toy.digest()}
    for name in ("task.toml", "environment/twice.c", "tests/verifier.c", "solution/twice.c", "tests/broken/new.c"):
        (folder / name).parent.mkdir(exist_ok=True)
        with (folder / name).open("a") as file:
            file.write("\n")
        seen.add(read_task(folder).digest())
    assert len(seen) == 6
    (folder / "brief.md").write_text("read by people")
    assert read_task(folder).digest() in seen


@pytest.mark.parametrize("folder", task_folders(SHIPPED), ids=lambda folder: folder.name)
def test_ours_are_whole(folder: Path) -> None:
    task = read_task(folder)
    assert task.name == folder.name
    assert task.trust is Trust.HARNESS
    assert set(task.measure.profile) == {"small", "full"}
    assert task.description.optimization.declared is not None
    assert task.description.metadata.licence == "Apache-2.0"
    assert (folder / "brief.md").stat().st_size > 1000
    assert len(list((folder / "tests" / "broken").iterdir())) >= 6
