"""Numbers as a reader likes them; what is not known is a dash or is said in words, never 0."""

import math

import pandas as pd

DASH = "–"

Record = dict[str, object]


def known(value: object) -> bool:
    """Whether a cell holds a value: not None, NaN or NA."""
    return not (value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)))


def real(value: float | None, digits: int = 2, sign: bool = False) -> str:
    """E.g. 4.20, with a true minus; ``sign`` writes + too."""
    if value is None or not known(value):
        return DASH
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return text.replace("-", "−")


def whole(value: float | None) -> str:
    """E.g. 14,400."""
    return f"{int(value):,}" if value is not None and known(value) else DASH


def share(value: float | None) -> str:
    """E.g. 12.3%."""
    return f"{value:.1%}" if value is not None and known(value) else DASH


def p_value(value: float | None) -> str:
    """E.g. 0.042, <0.001."""
    if value is None or not known(value):
        return DASH
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def many(value: float | None) -> str:
    """E.g. 950, 12.3 k, 4.5 M, 1.2 G."""
    if value is None or not known(value):
        return "unknown"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.1f} {unit}"
    return f"{int(value):,}"


def dollars(value: float | None, unpriced: float = 0) -> str:
    """E.g. $3.20, $0.0004, 'unknown price', or the known part and how many calls have no price."""
    if value is None or not known(value):
        return "unknown price" if unpriced else "nothing"
    amount = f"${value:,.2f}" if value >= 0.01 or value == 0 else f"${value:.2g}"
    return f"{amount} + {whole(unpriced)} calls of unknown price" if unpriced else amount


def count(number: int, noun: str) -> str:
    """E.g. 1 game, 3 games."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: list[str], limit: int = 12) -> str:
    """E.g. a, b, c and 4 more."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def records(frame: pd.DataFrame) -> list[Record]:
    """Rows as dictionaries in which NULL is None."""
    plain = frame.astype("object")
    return [
        {str(name): value for name, value in row.items()} for row in plain.where(frame.notna(), None).to_dict("records")
    ]
