"""Does a model know the idea already: the closed-book probe, and the gap where it is known."""

from pipelines.analysis import probes
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.grid import LENGTH, MODEL, Show, signed
from pipelines.report.words import real, share, whole

CI, BOOT = ("low", "high"), ("boot_low", "boot_high")


def tables(evidence: Evidence) -> Tables:
    """listed, listing_rates, knowledge, recognition_kappas."""
    read = evidence.runs.frame("recognitions")
    own = probes.listed(read)
    return {
        "listed": own,
        "listing_rates": probes.listing_rates(own, evidence.seed),
        "knowledge": probes.knowledge(probes.knowledge_gaps(evidence.scores, own), evidence.seed),
        "recognition_kappas": probes.recognition_kappas(read),
    }


CHAPTER = Chapter(
    name="probes",
    title="Does a model know the idea already?",
    asks=(
        "From the problem alone, without a question, each model listed candidate solutions, several times; annotators"
        " said whether the union of its lists holds the paper's core idea. If knowledge made the difference between"
        " games, the gap would be smaller where the idea is listed."
    ),
    needs="heuresis run experiment=probe",
    tables=tables,
    shown={
        "listing_rates": (
            *(MODEL, Show("papers whose idea is listed", "mean", share, BOOT), Show("papers", "n_papers", whole)),
            *(Show("annotators differ", "disputed", whole), Show("left out", "left_out", whole)),
        ),
        "knowledge": (
            *(Show("gap", "gap"), MODEL, Show("less", "other"), LENGTH),
            *(Show("all papers", "mean", signed, CI), Show("papers", "n_papers", whole)),
            Show("where listed", "listed_mean", signed, ("listed_low", "listed_high")),
            Show("papers listed", "n_listed", whole),
            Show("closed by knowledge", "closed", share, ("closed_low", "closed_high")),
            *(Show("games", "n_games", whole), Show("left out", "left_out", whole)),
        ),
        "recognition_kappas": (
            *(Show("annotator", "annotator"), Show("other", "other"), Show("Cohen κ", "kappa", real)),
            *(Show("agree", "agree", share), Show("probes", "n", whole), Show("not read by one", "unread", whole)),
        ),
    },
    captions={
        "listing_rates": (
            "Share of papers whose idea all annotators of the probe, at least two, find in the model's lists; where"
            " they differ it counts as not listed. Brackets are 95% percentile bootstrap intervals over papers, 10,000"
            " draws. Left out: papers that fewer than two read validly."
            " A list that misses an idea does not prove that the model does not know it."
        ),
        "knowledge": (
            "Final score without a survey. Between inquisitors: the stronger less the weaker, listed where both list"
            " the idea (our reading of the paper, which does not say whose gap it has); between games: a model's best"
            " less its worst game on a paper, listed where that model lists it. Gaps are means over papers with 95%"
            " t-intervals. Closed: (all papers less where listed) / all papers, may be below 0, with a 95% percentile"
            " bootstrap interval over papers, 10,000 draws; – where no paper is listed or the gap is not above 0."
            " Descriptive, no test: papers were not assigned to be known. Left out: papers whose reading is not known."
        ),
        "recognition_kappas": (
            "How far two annotators agree on whether a probe holds the idea; no interval. – where both say the same"
            " throughout."
        ),
    },
    reported=("Probe",),
)
