"""The parameters that a verifier asks a profile for, read in its C sources, before any image is built.

The harness ends at the first that is missing, so every profile must give all of them, as task.h says. Not found: names
that are put together by the preprocessor; the harness still ends at these.
"""

import re
from pathlib import Path

# Comments and literals are passed over whole, so that what stands in them is not taken for a call.
PASSED = r"""//[^\n]* | /\*.*?\*/ | '(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*\""""
CALL = re.compile(PASSED + r' | \bparameter\s*\(\s*"(\w+)"\s*\)', re.S | re.X)


def asked(tests: Path) -> dict[str, Path]:
    """Names of parameters, each with the file of ``tests`` that asks for it first."""
    found: dict[str, Path] = {}
    for path in sorted([*tests.glob("*.c"), *tests.glob("*.h")]):
        for name in CALL.findall(path.read_text(errors="replace")):
            if name:
                found.setdefault(name, path)
    return found
