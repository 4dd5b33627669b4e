"""What is slow to import is imported where it is used, and nowhere else."""

import subprocess
import sys

import pytest

SLOW = ("ray", "litellm", "docker", "xllamacpp", "matplotlib", "statsmodels", "scipy", "hydra", "pandas")


@pytest.mark.parametrize(
    ("module", "may"),
    [
        ("pipelines.cli", ()),
        ("pipelines.status", ()),
        ("pipelines.show", ()),
        ("pipelines.doctor", ()),
        ("pipelines.run", ("hydra",)),
        ("actors.game", ()),
    ],
)
def test_a_module_starts_without_what_it_does_not_need(module: str, may: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*[name for name in {SLOW!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= set(may)
