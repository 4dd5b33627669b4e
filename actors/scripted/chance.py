"""Draws that depend on nothing but their arguments: the same in every process, on every machine."""

from hashlib import blake2b
from random import Random


def stable(*parts: object) -> int:
    """A 64-bit hash of the parts' text; Python's own hash() differs between processes."""
    return int.from_bytes(blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest())


def uniform(*parts: object) -> float:
    """A fixed draw from [0, 1)."""
    return (stable(*parts) >> 11) * 2.0**-53


def generator(*parts: object) -> Random:
    """A stream of draws of its own."""
    return Random(stable(*parts))
