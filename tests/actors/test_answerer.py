"""Evidence that does not fit: references go first, then appendices from the end, and what went is said."""

import pytest

from actors.answerer import CHARS_A_TOKEN, REPLY_AND_QUESTION, fitted
from actors.paper import Paper, read_paper
from pipelines.settings import ROOT

PAPER = read_paper(ROOT / "datasets/papers/batch-normalization.md")
BODY = "# Method\n\nIt works.\n\n## Using references as memory\n\nA section about memory."
REFERENCES = "# 7. References\n\n[1] Somebody.\n\n### Online\n\n[2] Somewhere."
APPENDICES = "# Appendix A: proofs\n\nLong.\n\n## Lemma\n\nLonger.\n\n# Appendix B\n\nTables."


def paper(text: str) -> Paper:
    return PAPER.model_copy(update={"text": text})


def context_for(text: str) -> int:
    """The smallest context that the text fits into."""
    short = len(PAPER.abstract) + len(PAPER.solution.model_dump_json())
    return int((len(text) + short) / CHARS_A_TOKEN) + REPLY_AND_QUESTION + 1


WHOLE = f"{BODY}\n\n{REFERENCES}\n\n{APPENDICES}"
WITHOUT_REFERENCES = f"{BODY}\n\n{APPENDICES}"
WITHOUT_LAST = WITHOUT_REFERENCES.replace("\n\n# Appendix B\n\nTables.", "")


@pytest.mark.parametrize(
    ("fits", "left", "left_out"),
    [
        (WHOLE, WHOLE, "none"),
        (WITHOUT_REFERENCES, WITHOUT_REFERENCES, "references"),
        (WITHOUT_LAST, WITHOUT_LAST, "references+appendices"),
        (BODY, BODY, "references+appendices"),
        ("", BODY, "references+appendices"),  # what still does not fit is the endpoint's to refuse
    ],
)
def test_what_is_left_out_and_in_which_order(fits: str, left: str, left_out: str) -> None:
    text, said = fitted(paper(WHOLE), context_for(fits))
    assert said == left_out
    assert text.split() == left.split()
