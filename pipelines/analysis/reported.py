"""What the game's paper reports (Re-Search, arXiv 2611.14487), to stand beside one's own numbers.

``datasets/reported.csv`` has the columns table, row, column, value, source. Rows are named as in conf/cast/paper.yaml
where they are models; ``, from`` and ``, to`` are the ends of a range that the paper gives for several; ``%`` says
that a share is in percent. These are the paper's models on its papers: a yardstick, not what must come out.
"""

from pathlib import Path

import pandas as pd

from actors.errors import BadInput

FILE = Path(__file__).resolve().parent.parent.parent / "datasets" / "reported.csv"
COLUMNS = ["table", "row", "column", "value", "source"]
KEY = COLUMNS[:3]


def reported(path: Path = FILE) -> pd.DataFrame:
    """All that is reported, ``value`` as float64; BadInput where a row is no number, or stands twice."""
    try:
        found = pd.read_csv(path, dtype="str", keep_default_na=False)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read ({str(error).splitlines()[0]}); take the file that ships") from None
    if list(found.columns) != COLUMNS:
        raise BadInput(f"{path}: columns are {', '.join(found.columns)}, not {', '.join(COLUMNS)}")
    values = pd.to_numeric(found["value"], errors="coerce")
    empty = found.isin([""]).any(axis=1)
    for wrong, said in (
        (empty, "a cell is empty"),
        (values.isna(), "value is no number"),
        (found.duplicated(KEY), "stands twice"),
    ):
        if wrong.any():
            raise BadInput(f"{path}: row {int(wrong.to_numpy().argmax()) + 2}: {said}; correct it")
    return found.assign(value=values.astype("float64"))


def value(frame: pd.DataFrame, table: str, row: str, column: str) -> float:
    """One reported number; KeyError where there is none."""
    return float(frame.set_index(KEY)["value"].loc[(table, row, column)])
