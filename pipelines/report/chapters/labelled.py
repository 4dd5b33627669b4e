"""What people said of the runs that are reported."""

import pandas as pd

from pipelines.label_sheets import Kind
from pipelines.labels import read_labels
from pipelines.report.load import Runs

ITEM = {"answers": "item", "pairs": "pair"}


def labels_of(runs: Runs, kind: Kind) -> pd.DataFrame:
    """The labels of all run folders, each item and annotator once (the first folder's); no rows where there is none."""
    parts = [read_labels(folder, kind) for folder in runs.dirs]
    found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return found.drop_duplicates([ITEM[kind], "annotator"]).reset_index(drop=True)
