"""Two games of one paper: the pair that differs most, the words shared with the solution, every text as text."""

from pathlib import Path

import pandas as pd
import pytest
from made_tables import Made, panel
from pages import HOSTILE, Reader, assert_alone

from actors.paper import Paper, read_paper
from pipelines.game_settings import GameSettings
from pipelines.report.chapters import trajectories
from pipelines.report.chapters.terms import pair, pieces, terms
from pipelines.report.chapters.trajectories import paper_of, widest
from pipelines.report.make import make_report

PAPERS = Path(__file__).parents[4] / "datasets" / "papers"


def ended(*rows: tuple[str, str, int, int, float | None]) -> pd.DataFrame:
    """Games as ``curves.ends`` gives them: model, paper, replicate, T, final score."""
    found = pd.DataFrame(rows, columns=["model", "paper", "replicate", "questions", "final"])
    return found.assign(game=[f"g{place}" for place in range(len(rows))])


def two_games() -> Made:
    """Of one paper, ending at 2 and at 8."""
    made = Made()
    for replicate, end in ((0, 2), (1, 8)):
        made.game({0: panel(1), 10: panel(end)}, paper="p1", model="alpha", replicate=replicate)
    return made


def solved(**own: str) -> Paper:
    """A paper with this solution."""
    paper = read_paper(PAPERS / "denoising-diffusion.md")
    told = {"contribution": "Noise is reversed", "approach": "step by step", "novelty": "all", **own}
    return paper.model_copy(update={"solution": paper.solution.model_copy(update={**told, "components": ("a chain",)})})


def test_words_of_four_letters_that_say_something() -> None:
    assert terms("The NOISE, with a re-weighted Gau\u00dfian; bit x2 loss_fn") == {
        "noise",
        "weighted",
        "gaussian",
        "loss",
    }


def test_a_line_is_cut_at_its_words_and_nothing_is_lost() -> None:
    line = "Noise, which denoises the Chain."
    cut = pieces(line, {"noise": "hit", "chain": "hit"}, "miss")
    assert [piece for piece in cut if piece[1]] == [("Noise", "hit"), ("denoises", "miss"), ("Chain", "hit")]
    assert "".join(text for text, _ in cut) == line


def test_the_solution_tells_which_card_has_its_word() -> None:
    said = {"best": "noise chain other", "worst": "chain nothing", "solution": "Noise in a chain, reversed"}
    rows = [
        {"whose": name, "part": "approach", "text": text, "model": "m", "paper": "p"} for name, text in said.items()
    ]
    found = pair(rows)
    assert found is not None
    assert [piece for piece in found.solution.parts[0][1][0] if piece[1]] == [
        ("Noise", "by-best"),
        ("chain", "by-best by-worst"),
    ]


def test_the_pair_that_differs_most_at_the_longest_length() -> None:
    games = ended(
        *[("m", "p", 0, 10, 1.0), ("m", "p", 1, 10, 9.0)],
        *[("m", "p", 0, 20, 3.0), ("m", "p", 1, 20, 5.0), ("m", "p", 2, 20, None)],
        *[("m", "q", 0, 20, 4.0), ("m", "q", 1, 20, 8.0), ("m", "q", 2, 20, 8.0), ("n", "q", 0, 20, 9.5)],
        *[("n", "r", 0, 20, 1.0), ("n", "r", 1, 20, 5.0)],
    )
    assert widest(games)[["whose", "game"]].to_numpy().tolist() == [["best", "g6"], ["worst", "g5"]]


@pytest.mark.parametrize("finals", [(4.0, 4.0), (None, 4.0), (None, None)])
def test_no_pair_where_nothing_differs(finals: tuple[float | None, float | None]) -> None:
    assert not len(widest(ended(*[("m", "p", place, 10, final) for place, final in enumerate(finals)])))


def test_a_paper_is_read_from_the_settings_folder_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = GameSettings.model_construct(papers_dir=tmp_path)
    monkeypatch.setattr(
        trajectories, "settings_of", lambda _: ([own, GameSettings.model_construct(papers_dir=None)], ())
    )
    (tmp_path / "denoising-diffusion.md").write_text("no front matter")
    found = paper_of([], "denoising-diffusion")
    assert found is not None
    assert found.id == "denoising-diffusion"
    assert paper_of([], "no-such") is None
    assert paper_of([], "../papers/denoising-diffusion") is None


def test_both_cards_and_the_solution_stand_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = two_games()
    for row in made.rows["cards"]:
        row.update(contribution=f"Reversed {HOSTILE}" if row["replicate"] else "another part")
    monkeypatch.setattr(trajectories, "paper_of", lambda *_: solved(novelty=f"nothing else {HOSTILE}"))
    result = make_report([made.write(tmp_path / "run")])
    html = result.page.read_text(encoding="utf-8")
    page = Reader(html)
    assert_alone(page, html)
    assert '<span class="hit">Reversed</span>' in html
    assert '<span class="by-best">reversed</span>' in html
    assert '<span class="miss">another</span>' not in html
    assert '<span class="miss">done</span>' not in html
    told = result.tables["trajectory_texts"].drop_duplicates("whose").set_index("whose")
    assert told.loc["best", "score"] == 8
    assert told.loc["best", "matched"] > told.loc["worst", "matched"]
    curve = result.tables["trajectories"][["whose", "t", "score"]].to_numpy().tolist()
    assert curve == [["best", 0, 1], ["best", 10, 8], ["worst", 0, 1], ["worst", 10, 2]]
    assert tmp_path / "run" / "report" / "figures" / "trajectories.svg" in result.figures


def test_no_paper_is_no_chapter_and_is_said(tmp_path: Path) -> None:
    result = make_report([two_games().write(tmp_path / "run")])
    html = result.page.read_text(encoding="utf-8")
    assert 'id="trajectories"' not in html
    assert not len(result.tables["trajectory_texts"])
    assert "the paper's file where the runs' config.yaml says" in Reader(html).text
