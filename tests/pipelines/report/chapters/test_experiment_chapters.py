"""Surveys, judges, forks, probes, pools and people's labels on the page: right values, every text as text."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_tables import Made, panel
from pages import HOSTILE, Reader, assert_alone

from actors.survey import Condition
from pipelines.label_sheets import SHEETS, Kind
from pipelines.labels import folder, schema
from pipelines.report.chapters.chapter import Evidence
from pipelines.report.chapters.judges import CHAPTER as JUDGES
from pipelines.report.load import Runs, load
from pipelines.report.make import ReportResult, make_report
from pipelines.report.tables import make_tables

NAMES = ("surveys", "panel", "forks", "probes", "pools")


def derived(made: Made, kind: str, end: int, **own: object) -> str:
    """A finished fork or pooled game with its last card, rated by three judges."""
    keys = {"paper": "p0", "model": "alpha", "condition": "none", "replicate": 0, **own}
    game = "/".join([kind, *map(str, keys.values())])
    made.add("units", unit=game, game=game, kind=kind, status="ok", questions=10, **keys)
    named = {name: keys[name] for name in ("paper", "model", "condition", "replicate")}
    made.add("cards", unit=game, t=10, contribution="c", approach="a", components="x", novelty="n", **named)
    for judge in "abc":
        made.add("ratings", unit=f"judging/{judge}/{game}", game=game, t=10, judge=judge, score=end, **named)
    return game


def surveyed(model: str = "alpha") -> Made:
    """Three papers under decoy and full: full adds 1, 2 and 3; judge c is 3 above a and b."""
    made = Made()
    for place in range(3):
        for condition, end in (("decoy", 3), ("full", 4 + place)):
            made.game(
                {0: panel(1, 1, 1), 10: panel(end, end, end + 3)}, model=model, paper=f"p{place}", condition=condition
            )
    return made


def report(made: Made, run: Path) -> tuple[ReportResult, Reader, str]:
    result = make_report([made.write(run)])
    html = result.page.read_text(encoding="utf-8")
    return result, Reader(html), html


def label(run: Path, kind: Kind, *rows: dict[str, object]) -> None:
    """Labels as an import leaves them."""
    folder(run).mkdir()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema(SHEETS[kind])), folder(run) / f"{kind}.parquet")


def test_what_a_survey_brings(tmp_path: Path) -> None:
    result, page, html = report(surveyed(), tmp_path / "run")
    assert_alone(page, html)
    gains = result.tables["survey_gains"].iloc[0]
    assert (gains["mean"], gains["second"], gains["first"], gains["n_papers"]) == pytest.approx((2, 4, 6, 3))
    assert "+2.00 [−0.48, +4.48]" in " ".join(page.text.split())
    assert {"survey-scores.svg", "survey-gains.svg"} <= {path.name for path in result.figures}
    assert result.tables["gain_and_start"]["r"].isna().all()
    assert "which alone draws r below 0" in page.text


def test_games_of_one_condition_say_nothing_on_surveys(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(1), 10: panel(2)})
    result, page, html = report(made, tmp_path / "run")
    assert not len(result.tables["condition_scores"])
    assert 'id="surveys"' not in html
    assert "heuresis run experiment=survey" in page.text


def test_a_survey_stands_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipelines.game_settings import GameSettings
    from pipelines.report.chapters import survey_text

    own = GameSettings.model_construct(surveys_dir=None)
    monkeypatch.setattr(survey_text, "settings_of", lambda _: ([own], ()))
    lines = survey_text.survey_lines([tmp_path], pd.Series(["no-such", "../evil", "denoising-diffusion"]))
    differ = lines.loc[lines["mark"] != ""]
    assert set(lines["paper"]) == {"denoising-diffusion"}
    assert set(lines.loc[lines["mark"] == "", "under"]) == {"dummy, decoy, full"}
    core = lines.loc[lines["text"].str.contains("reversing a fixed Gaussian noising diffusion")]
    assert list(core["under"]) == [Condition.FULL]
    assert differ.groupby("line").size().min() == 2
    assert not len(survey_text.survey_lines([tmp_path], pd.Series(["no-such"])))


def test_the_panel_by_its_judges_over_plain_games(tmp_path: Path) -> None:
    made = surveyed()
    derived(made, "pool", 1)
    runs = load([made.write(tmp_path / "run")])
    made_of = Runs(**{**vars(runs), "own_family": {"c": ["alpha"]}, "left_out": {"alpha": "c"}})
    found = make_tables(made_of, 0)
    families = found["judge_families"].set_index(["judge", "whose"])
    assert families["mean"].to_dict() == pytest.approx(
        {("a", "others"): -1.5, ("b", "others"): -1.5, ("c", "own family"): 3}
    )
    assert families.loc[("c", "own family"), ["n_games", "inquisitors"]].to_list() == [6, "alpha"]
    gains = found["left_out_gains"]
    assert list(gains["mean"]) == pytest.approx([2, 2])
    assert list(gains["left_out"].fillna("none")) == ["none", "c"]
    assert set(found["final_agreement"]["n_games"]) == {6}
    ranks = found["judge_ranks"].set_index("condition")
    assert ranks.loc["all", ["mean", "rank", "by_judge"]].to_list() == [5, 1, "a 1, b 1, c 1"]


def test_no_judge_is_no_chapter(tmp_path: Path) -> None:
    made = Made()
    made.game({0: {}, 10: {}})
    runs = load([made.write(tmp_path / "run")])
    empty = make_tables(runs, 0)
    evidence = Evidence(runs, empty["scores"], runs.ratings.assign(kind="game", questions=10), 0)
    assert not any(len(frame) for frame in JUDGES.tables(evidence).values())


def test_forks_have_a_gap_at_the_cut_and_at_the_end(tmp_path: Path) -> None:
    made = Made()
    for place in range(2):
        sources = [
            made.game(
                {t: panel(score, score, score) for t, score in ((0, 1), (5, at), (10, end))},
                paper=f"p{place}",
                replicate=number,
                model="alpha",
            )
            for number, (at, end) in enumerate(((4, 8), (2, 3)))
        ]
        for side, source, end in zip(("best", "worst"), sources, (6 + place, 6), strict=True):
            own = {"source": source, "side": side, "cut": 5, "continuation": 0}
            derived(made, "fork", end, paper=f"p{place}", **own)
    made.game({0: panel(1, 1, 1), 10: panel(5, 5, 5)}, paper="p9", model="alpha")
    result, page, html = report(made, tmp_path / "run")
    assert_alone(page, html)
    row = result.tables["fork_gaps"].iloc[0]
    assert row[["at_cut", "at_end", "ahead", "n_papers", "alike"]].to_list() == pytest.approx([2, 0.5, 0.5, 2, 1])
    assert (row["ahead_low"], row["ahead_high"]) == (0, 1)
    assert "tables/fork_counts.csv" in page.text


def test_probes_and_pools_stand_on_the_page(tmp_path: Path) -> None:
    made = Made()
    keys: dict[str, object] = {"condition": "none", "replicate": 0, "model": HOSTILE}
    for place in range(2):
        paper = f"p{place}"
        for number, end in enumerate((7, 3 + 2 * place)):
            made.game({0: panel(1, 1, 1), 10: panel(end, end, end)}, paper=paper, model=HOSTILE, replicate=number)
        probe = f"probe/{paper}"
        for annotator in ("r", "s"):
            own = {**keys, "paper": paper, "annotator": annotator, "listed": place == 0}
            made.add("recognitions", unit=f"recognition/{annotator}/{paper}", game=probe, candidate=1, **own)
        pool = derived(made, "pool", 8, paper=paper, model=HOSTILE, selection="model")
        for t in range(1, 11):
            for position, proposer in enumerate((HOSTILE, "other"), 1):
                picked = {"t": t, "position": position, "proposer": proposer, "question": "Is it?"}
                made.add("picks", unit=pool, paper=paper, chosen=(position == 1) == (t <= 7), **keys, **picked)
    result, page, html = report(made, tmp_path / "run")
    assert_alone(page, html)
    assert list(result.tables["listing_rates"]["mean"]) == [0.5]
    knowledge = result.tables["knowledge"].set_index("gap").loc["between games"]
    assert knowledge[["mean", "listed_mean", "n_listed"]].to_list() == pytest.approx([3, 4, 1])
    gain = result.tables["pool_gains"].iloc[0]
    assert (gain["first"], gain["second"], gain["mean"]) == pytest.approx((8, 5.5, 2.5))
    shares = result.tables["pick_shares"].set_index("proposer")["share"]
    assert shares.to_dict() == pytest.approx({HOSTILE: 0.7, "other": 0.3})
    assert "70.0%" in page.text
    assert "picks.svg" in {path.name for path in result.figures}


def test_what_people_said_stands_beside(tmp_path: Path) -> None:
    run = surveyed().write(tmp_path / "run")
    low, high = (f"game/alpha/p2/{condition}/0/10" for condition in ("decoy", "full"))
    cards = {"paper": "p2", "game_a": low, "t_a": 10, "game_b": high, "t_b": 10}
    pairs = [{"pair": "1", **cards, "annotator": name, "choice": "B"} for name in "xyz"]
    pairs += [
        {"pair": "2", **cards, "annotator": name, "choice": choice} for name, choice in zip("xyz", "AAB", strict=True)
    ]
    label(run, "pairs", *pairs)
    asked = {"game": low, "paper": "p2"}
    answers = [
        {"item": str(t), "t": t, **asked, "annotator": name, "label": said}
        for t, said in ((1, "NO"), (2, "UNKNOWN"), (3, "NO"))  # played: NO, UNKNOWN, YES
        for name in "xyz"
    ]
    pq.write_table(pa.Table.from_pylist(answers, schema=schema(SHEETS["answers"])), folder(run) / "answers.parquet")
    result = make_report([run])
    page = Reader(result.page.read_text(encoding="utf-8"))
    agreement = result.tables["panel_agreement"].set_index("pairs")
    assert agreement.loc["all", ["share", "count", "n"]].to_list() == [0.5, 1, 2]
    assert list(result.tables["people_kappa"]["n_pairs"]) == [2]
    right = result.tables["against_people"].set_index("label")
    assert right.loc["all", ["count", "n", "flips"]].to_list() == [2, 3, 1]
    assert right.loc["YES+NO", "share"] == 0.5
    assert "tables/against_people.csv" in page.text


def test_every_chapter_has_captions_for_what_it_shows() -> None:
    from pipelines.report.chapters.all import CHAPTERS

    own = [one for one in CHAPTERS if one.name in NAMES]
    assert len(own) == len(NAMES)
    assert all(set(one.shown) == set(one.captions) for one in own)
