"""What does a survey bring: final scores by condition (Figure 6), gains (Figure 7), a survey itself (Figure 4)."""

from pipelines.analysis.surveys import condition_gains, condition_scores, gain_and_start
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.survey_figures import BY_CONDITION, FROM, STARTS, TO, survey_drawings
from pipelines.report.chapters.survey_text import survey_lines
from pipelines.report.grid import CONDITION, LENGTH, MODEL, N, Show, signed
from pipelines.report.words import p_value, real, whole

CI, BOOT = ("low", "high"), ("boot_low", "boot_high")


def tables(evidence: Evidence) -> Tables:
    """condition_scores, survey_gains, ..., survey_lines; no rows where games have one condition alone."""
    plain = evidence.plain
    if plain["condition"].nunique() < 2:
        plain = plain.iloc[:0]
    gains = condition_gains(plain, evidence.seed)
    return {
        "condition_scores": condition_scores(plain, evidence.seed),
        "survey_gains": gains.loc[(gains["condition"] == TO) & (gains["against"] == FROM)].reset_index(drop=True),
        "condition_gains": gains,
        "gain_and_start": gain_and_start(gains),
        "survey_lines": survey_lines(evidence.runs.dirs, plain["paper"]),
    }


AGAINST = (CONDITION, Show("less", "against"))
GAIN = (
    *(Show("gain", "mean", signed, CI), Show("from", "second", real), Show("to", "first", real)),
    *(Show("p", "p", p_value), Show("p, Holm", "p_holm", p_value), *N, Show("left out", "left_out", whole)),
)
PAIRED = (
    "paired by paper; from and to are means over the same papers. Brackets are 95% t-intervals over papers; two-sided"
    " paired t over papers, Holm over the inquisitors of a contrast. Left out: papers that lack either. Games are those"
    " of both."
)


def _shown() -> dict[str, tuple[Show, ...]]:
    return {
        "condition_scores": (
            *(MODEL, CONDITION, LENGTH, Show("final, t-interval", "mean", real, CI)),
            *(Show("final, bootstrap", "mean", real, BOOT), *N, Show("no score", "unrated", whole)),
        ),
        "survey_gains": (MODEL, LENGTH, *GAIN),
        "condition_gains": (*AGAINST, MODEL, LENGTH, *GAIN),
        "gain_and_start": (
            *(*AGAINST, LENGTH, Show("r of gain and start", "r", signed), Show("p", "p", p_value)),
            Show("models", "n_models", whole),
        ),
        "survey_lines": (
            *(Show("paper", "paper"), Show("line", "line", whole), Show("stands under", "under")),
            *(Show("differs", "mark"), Show("text", "text")),
        ),
    }


CHAPTER = Chapter(
    name="surveys",
    title="What does a survey bring?",
    asks=(
        "The same papers were played without a survey, and with one: full names the paper's core idea in one line,"
        " decoy names a neighbour in its place, dummy has, besides, none of the idea's parts elsewhere. Plain games"
        " alone."
    ),
    needs="heuresis run experiment=survey",
    tables=tables,
    shown=_shown(),
    captions={
        "condition_scores": (
            "Figure 6 in numbers: score (panel mean, 1–10) of the final card. A paper's replicates are averaged first;"
            " brackets are 95% t-intervals over papers, and 95% percentile bootstrap intervals over papers, 10,000"
            " draws. No score: finished games that lack a rating, left out."
        ),
        "survey_gains": f"Figure 7 in numbers: final score under full less that under decoy, {PAIRED}",
        "condition_gains": f"Other surveys too: final score under one less that under another, {PAIRED}",
        "gain_and_start": (
            "Pearson's r over inquisitors between the gain and the score that it starts from, with a two-sided p that"
            " is not corrected. Descriptive: inquisitors are few and no sample, and the gain contains the score it"
            " starts from with a minus, which alone draws r below 0. – below three inquisitors."
        ),
        "survey_lines": (
            "Figure 4: the survey of one paper, the first by name of those played whose survey the runs' settings lead"
            " to, line by line. A line that stands alike under dummy, decoy and full is written once; the others are"
            " marked, once for each text. Without a survey (none) a model reads nothing of it."
        ),
    },
    drawings=survey_drawings,
    figures={
        BY_CONDITION: (
            "Mean final score by survey; bars are 95% t-intervals over papers, a paper's replicates averaged first,"
            " cut off where they leave the scale. Tests of the differences stand in the table."
        ),
        STARTS: (
            "Gain from decoy to full against the score under decoy, a point an inquisitor; bars are 95% t-intervals of"
            " the gain over papers. Descriptive: the gain contains the decoy score with a minus, which alone draws r"
            " below 0; p is two-sided and not corrected."
        ),
    },
    reported=("Figure 6", "Figure 7"),
    folded=("condition_scores", "condition_gains", "survey_lines"),
)
