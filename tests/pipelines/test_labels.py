"""Sheets out to people and back: what is drawn, what annotators may not see, what is kept, and what is refused."""

import argparse
import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from made_tables import Made, panel

from actors.errors import BadInput
from pipelines.config import settings
from pipelines.label_samples import sample_questions, systematic
from pipelines.label_sheets import SHEETS, harmless, read_sheets
from pipelines.labels import (
    add_label_words,
    export_answers,
    export_pairs,
    import_answers,
    import_pairs,
    key_of,
    read_labels,
)
from pipelines.plan import plan
from pipelines.work import prepare_folder

NAMES = ("ann", "bo")
PAPERS = ("batch-normalization", "endless-stream-learning")
Rows = list[dict[str, str]]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two models' games of two papers, twice each, of ten questions."""
    made = Made()
    for model in ("alpha", "beta"):
        for paper in PAPERS:
            for replicate in (0, 1):
                made.game({0: panel(1), 10: panel(2)}, paper=paper, model=model, replicate=replicate)
    made.game({}, paper=PAPERS[0], model="gamma", status="error", error_kind="lost")
    return written(made, tmp_path)


def written(made: Made, tmp_path: Path) -> Path:
    papers = f"papers=[{','.join(PAPERS)}]"
    work = plan(settings(["cast=scripted", papers, f"outputs={tmp_path}", "cluster=inprocess"]))
    made.write(work.folder)
    prepare_folder(work)
    return work.folder


def rows_of(path: Path) -> Rows:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, say: Callable[[int, str, dict[str, str]], str], names: Sequence[str] = NAMES) -> Rows:
    """Fill a sheet in: ``say`` gets the row's place, the annotator and the row."""
    rows = rows_of(path)
    for place, row in enumerate(rows):
        row.update({name: say(place, name, row) for name in names})
    save(path, rows)
    return rows


def save(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def words(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_label_words(parser)
    return parser.parse_args(given)


def test_a_sheet_shows_the_question_and_the_evidence_and_nothing_of_the_game(run: Path) -> None:
    made = export_answers(run, None, 24, NAMES, 0)
    rows = rows_of(made.sheet)
    assert made.items == len(rows) == 24
    assert list(rows[0]) == [*SHEETS["answers"].columns, *NAMES]
    assert {(row["ann"], row["bo"]) for row in rows} == {("", "")}
    for row in rows:
        assert Path(row["evidence"]).stem == row["paper"] in PAPERS
        assert all(row[name] for name in ("source", "domain", "goal", "challenge", "gap", "question"))
    text = made.sheet.read_text(encoding="utf-8-sig")
    assert not any(word in text for word in ("alpha", "beta", "game/"))


def test_the_sample_has_each_stratum_by_its_share_and_is_the_seeds(run: Path) -> None:
    keys, rows = sample_questions(run, 40, 3)  # of 80: half of each stratum of model, condition and answer
    turns = pd.DataFrame([key.model_dump() for key in keys])
    answer = turns["t"].map(lambda t: ("YES", "NO", "UNKNOWN")[t % 3])
    model = turns["game"].str.split("/").str[1]
    assert pd.crosstab(model, answer).loc["alpha"].to_dict() == pytest.approx({"YES": 6, "NO": 8, "UNKNOWN": 6}, abs=1)
    assert len({row["item"] for row in rows}) == 40
    assert sample_questions(run, 40, 3) == (keys, rows)
    assert {key.item for key in sample_questions(run, 40, 4)[0]} != {key.item for key in keys}
    assert len(sample_questions(run, 1000, 0)[0]) == 80


def test_a_systematic_sample_takes_no_row_twice() -> None:
    frame = pd.DataFrame({"s": [0] * 70 + [1] * 30})
    drawn = systematic(frame, ["s"], 10, 0)
    assert drawn.index.is_unique
    assert drawn["s"].value_counts().to_dict() == {0: 7, 1: 3}


def test_answers_come_back_as_rows_with_their_question(run: Path) -> None:
    made = export_answers(run, None, 6, NAMES, 0)
    given = ["YES", " no ", "Unknown", "", "NO", "YES"]
    rows = fill(made.sheet, lambda place, name, row: given[place] if name == "ann" else "")
    found = import_answers(run, [made.sheet])
    assert (found.labels, found.items, found.annotators, found.empty) == (5, 5, 1, 7)
    labels = read_labels(run, "answers")
    assert list(labels) == ["item", "game", "t", "paper", "annotator", "label"]
    said = dict(zip(labels["item"], labels["label"], strict=True))
    expected = ["YES", "NO", "UNKNOWN", None, "NO", "YES"]
    assert [said.get(row["item"]) for row in rows] == expected
    for row in rows[:3]:
        own = labels.set_index("item").loc[row["item"]]
        assert row["question"] == f"Is it a loss? ({own['t']})"
        assert own["game"].split("/")[2] == own["paper"] == row["paper"]


def test_each_annotator_may_send_a_file_of_their_own(run: Path, tmp_path: Path) -> None:
    made = export_answers(run, tmp_path / "out" / "sheet.csv", 4, NAMES, 0)
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    for path, own, label in ((one, "ann", "YES"), (other, "bo", "NO")):
        path.write_bytes(made.sheet.read_bytes())
        fill(path, lambda place, name, row, own=own, label=label: label if name == own else "")  # type: ignore[misc]
    save(other, list(reversed(rows_of(other))))  # sorted by its annotator: the ids stay with the labels
    assert import_answers(run, [one, other]).labels == 8
    labels = read_labels(run, "answers")
    assert labels.groupby("annotator")["label"].unique().map(list).to_dict() == {"ann": ["YES"], "bo": ["NO"]}


def test_pairs_are_of_one_paper_and_their_key_says_which_is_a(run: Path) -> None:
    made = export_pairs(run, None, 12, NAMES, 0)  # four games a paper: all six pairs of each
    rows = rows_of(made.sheet)
    keys = {row["pair"]: row for row in rows_of(made.key)}
    assert made.items == len(rows) == len(keys) == 12
    for row in rows:
        key = keys[row["pair"]]
        assert row["A contribution"] == f"idea of {key['game_a']} after {key['t_a']}"
        assert row["B contribution"] == f"idea of {key['game_b']} after {key['t_b']}"
        assert key["game_a"].split("/")[2] == key["game_b"].split("/")[2] == row["paper"] == key["paper"]
        assert row["solution components"].count("\n") >= 1
    swapped = [key["game_a"] > key["game_b"] for key in keys.values()]
    assert 0 < sum(swapped) < 12
    assert "confidence" not in rows[0]


def test_choices_come_back_with_both_cards(run: Path) -> None:
    made = export_pairs(run, None, 3, NAMES, 0)
    fill(made.sheet, lambda place, name, row: ("a", "B", "TIE")[place])
    assert import_pairs(run, [made.sheet]).labels == 6
    labels = read_labels(run, "pairs")
    assert list(labels) == ["pair", "paper", "game_a", "t_a", "game_b", "t_b", "annotator", "choice"]
    assert sorted(labels["choice"].unique()) == ["A", "B", "tie"]
    assert set(labels["t_a"]) == {10}


def test_an_earlier_sheet_can_still_come_back_after_another_was_drawn(run: Path, tmp_path: Path) -> None:
    first = export_answers(run, tmp_path / "first.csv", 5, NAMES, 0)
    second = export_answers(run, tmp_path / "second.csv", 5, NAMES, 1)
    for made in (first, second):
        fill(made.sheet, lambda place, name, row: "NO")
    assert import_answers(run, [first.sheet, second.sheet]).items == len(
        {row["item"] for made in (first, second) for row in rows_of(made.sheet)}
    )


def test_nothing_imported_is_an_empty_frame_with_the_columns(run: Path) -> None:
    assert (len(read_labels(run, "pairs")), "choice" in read_labels(run, "pairs")) == (0, True)


def test_a_cell_is_no_formula_to_a_spreadsheet(tmp_path: Path) -> None:
    made = Made()
    made.game({0: panel(1), 10: panel(2)}, paper=PAPERS[0], text='=HYPERLINK("http://x")')
    sheet = export_answers(written(made, tmp_path), None, 1, NAMES, 0).sheet
    assert rows_of(sheet)[0]["question"].startswith("'=HYPERLINK")
    assert [harmless(text) for text in ("@a", "-1", "Is it a - b?")] == ["'@a", "'-1", "Is it a - b?"]


def spoil(made_rows: Rows, how: str) -> Rows:
    """One thing wrong, in row 3 where it is about a row."""
    first, second, *rest = made_rows
    if how == "unknown id":
        return [first, {**second, "item": "q0"}, *rest]
    if how == "twice":
        return [first, first, *rest]
    if how == "label":
        return [first, {**second, "bo": "maybe"}, *rest]
    if how == "no annotator":
        return [{name: row[name] for name in SHEETS["answers"].columns} for row in made_rows]
    if how == "no id":
        return [{name: text for name, text in row.items() if name != "item"} for row in made_rows]
    return [{**row, "ann": "", "bo": ""} for row in made_rows]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("unknown id", "row 3: item 'q0' is not in the key"),
        ("twice", "row 3: item '.*' stands in row 2 already"),
        ("label", "row 3: bo says 'maybe'; write YES, NO, UNKNOWN, or nothing"),
        ("no annotator", "row 1: no annotator"),
        ("no id", "row 1: no column 'item'"),
        ("empty", "no label in it"),
    ],
)
def test_a_malformed_sheet_is_refused_by_row_and_reason_and_nothing_is_kept(run: Path, how: str, said: str) -> None:
    made = export_answers(run, None, 4, NAMES, 0)
    save(made.sheet, spoil(fill(made.sheet, lambda place, name, row: "YES"), how))
    with pytest.raises(BadInput, match=said):
        import_answers(run, [made.sheet])
    assert not (run / "labels" / "answers.parquet").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"item,ann\nq1\n", "row 2: has 1 cells, not 2"),
        (b"item,ann\nq1,YES,\n", "row 2: has 3 cells, not 2"),
        (b'item,ann\nq1,"YES\n', "row 2: is no CSV"),
        (b"item,ann,ann\n", "row 1: column 'ann' stands twice"),
        (b"item;ann\nq1;YES\n", "no column 'item'; keep the first row as it was, commas between columns"),
        (b"item,ann\nq1,\xff\n", "is not UTF-8"),
        (b"item,\nq1,YES\n", "row 1: '' cannot name an annotator"),
    ],
)
def test_what_is_no_sheet_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "sheet.csv").write_bytes(content)
    with pytest.raises(BadInput, match=said):
        read_sheets(SHEETS["answers"], [tmp_path / "sheet.csv"], {"q1": None})


def test_two_files_that_differ_are_refused(run: Path, tmp_path: Path) -> None:
    made = export_answers(run, None, 4, NAMES, 0)
    other = tmp_path / "other.csv"
    other.write_bytes(made.sheet.read_bytes())
    fill(made.sheet, lambda place, name, row: "YES")
    fill(other, lambda place, name, row: "NO" if (place, name) == (2, "bo") else "YES")
    with pytest.raises(BadInput, match=r"other.csv: row 4: bo says NO, and YES in an earlier file"):
        import_answers(run, [made.sheet, other])


def test_what_cannot_be_exported_is_refused(run: Path, tmp_path: Path) -> None:
    made = export_answers(run, None, 4, NAMES, 0)
    with pytest.raises(BadInput, match="is there already, and may hold labels"):
        export_answers(run, None, 4, NAMES, 0)
    for count, names, said in ((0, NAMES, "must be at least 1"), (1, ("ann", "ann"), "'ann' cannot name an annotator")):
        with pytest.raises(BadInput, match=said):
            export_answers(run, tmp_path / "x.csv", count, names, 0)
    with pytest.raises(BadInput, match="--seed -1: must be at least 0"):
        export_answers(run, tmp_path / "x.csv", 4, NAMES, -1)
    with pytest.raises(BadInput, match="'paper' cannot name an annotator"):
        export_pairs(run, None, 4, ("paper",), 0)
    with pytest.raises(BadInput, match="no such folder"):
        export_answers(tmp_path / "nowhere", None, 4, NAMES, 0)
    with pytest.raises(BadInput, match="no key"):
        import_pairs(run, [made.sheet])
    assert not key_of(run, "pairs").exists()


def test_labels_that_cannot_be_written_are_refused(run: Path) -> None:
    made = export_answers(run, None, 4, NAMES, 0)
    fill(made.sheet, lambda place, name, row: "NO")
    (run / "labels" / "answers.parquet").mkdir()
    with pytest.raises(BadInput, match=r"answers.parquet: cannot be written \("):
        import_answers(run, [made.sheet])


def test_one_game_a_paper_makes_no_pair(tmp_path: Path) -> None:
    made = Made()
    for paper in PAPERS:
        made.game({0: panel(1), 10: panel(2)}, paper=paper)
    with pytest.raises(BadInput, match="a pair needs two finished games of one paper"):
        export_pairs(written(made, tmp_path), None, 4, NAMES, 0)


def test_a_paper_that_was_changed_since_is_refused(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["papers"][PAPERS[0]] = "0" * 64
    (run / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BadInput, match=f"{PAPERS[0]}.md: was changed after it was played"):
        export_answers(run, None, 80, NAMES, 0)


def test_the_words_of_the_command_line(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = words("export", "answers", str(run), "--count", "5", "--annotators", *NAMES, "--json")
    assert given.command(given) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["items"] == 5
    fill(Path(said["sheet"]), lambda place, name, row: "YES")
    given = words("import", "answers", str(run), said["sheet"])
    assert given.command(given) == 0
    assert "10 labels of 5 items by 2 annotators, 0 cells empty" in capsys.readouterr().out
    given = words("export", "pairs", str(run), "--seed", "1")
    assert given.command(given) == 0
    assert "12 pairs (all there are; 498 were asked for)" in capsys.readouterr().out
