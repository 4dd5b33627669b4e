"""The tables that the idea search alone has: the rows of solvers/, without nested values.

A branch is known by its number from 1 over the whole search, a solution by the SHA-256 of its files, and scores are
from 0 to 1: reports show them x 100.
"""

from pipelines.column import FLAG, INT, REAL, TEXT, TIME, Column, Tables
from pipelines.search_pool_tables import BRANCH, FALLBACK, ITERATION, KEYS, POOL, WHY

SOLUTION = Column("solution", TEXT, "hex digits", "hash of the solution; see the table solutions")
SCORES = (
    Column("score", REAL, "0-1", "the score that drives the search"),
    Column("score_local", REAL, "0-1", "on the scale between anchors measured on that node"),
    Column("score_declared", REAL, "0-1", "on the scale that the task declares"),
)
ERROR = (
    Column("error_kind", TEXT, "see actors/errors.py", "why it failed; NULL unless status is error"),
    Column("error", TEXT, "", "the same in words"),
)
ACTION = "explore, exploit"
WORK: Tables = {
    "assignments": (
        "One row per branch: what it was given, and why. Key: unit, branch.",
        (
            *KEYS,
            BRANCH,
            ITERATION,
            Column("operator", TEXT, "", "what the policy calls this kind of work"),
            Column("idea_id", TEXT, "id", "the idea to be built; NULL where there is an instruction alone"),
            Column("instruction", TEXT, "", "what to do, where the policy says it"),
            Column("parents", TEXT, "branches, joined by comma", "whose code it begins with or reads; empty: baseline"),
            Column("cluster", INT, "from 1", "the cluster that it was chosen from; NULL where there is none"),
            Column("cluster_action", TEXT, ACTION, "what the cluster was chosen for"),
            Column("idea_action_asked", TEXT, ACTION, "what the idea was to be chosen for"),
            Column("idea_action_done", TEXT, ACTION, "what it was chosen for"),
            Column("rank", INT, "from 1", "the idea's rank among the unevaluated ideas of its cluster"),
            Column("of", INT, "ideas", "how many those were"),
            Column("deviation", TEXT, "", "why a better rank was passed over"),
            WHY,
            FALLBACK,
        ),
    ),
    "attempts": (
        "One row per branch: what came of it, after its audit. Key: unit, branch.",
        (
            *KEYS,
            ITERATION,
            BRANCH,
            Column("idea_id", TEXT, "id", "the idea that it counts for"),
            Column("assigned_idea_id", TEXT, "id", "the idea that it was given"),
            *SCORES,
            Column("score_basis", TEXT, "local, declared, reward", "which of them is `score`"),
            Column("metric", REAL, "the task's, or seconds", "of its best right execution"),
            Column("success", FLAG, "", "whether there is one"),
            Column("role", TEXT, "attempt, idea_mismatch_relabel, discarded", "how it counts"),
            Column("audit_flags", TEXT, "joined by comma", "what its first audit found"),
            Column("executions", INT, "executions", "started, lost ones with them"),
            Column("seconds", REAL, "s", "wall-clock of the branch"),
            Column("tokens", INT, "tokens", "of its calls; NULL where one is unknown"),
            Column("cost", REAL, "USD", "of its calls; NULL where one is unknown"),
            SOLUTION,
            Column("parent_solution", TEXT, "hex digits", "the solution that it began with"),
            Column("host", TEXT, "name", "where it worked"),
            Column("status", TEXT, "ok, error", "whether the branch went to its end"),
            *ERROR,
        ),
    ),
    "executions": (
        "One row per execution. Key: unit, branch, seeding, index; branch is the attempt that it belongs to.",
        (
            *KEYS,
            BRANCH,
            Column("index", INT, "from 1", "which of its branch"),
            Column("seeding", TEXT, "search, held_out", "which seeds; held-out ones are not counted"),
            SOLUTION,
            Column("about", TEXT, "", "what the solver tried, in its words"),
            Column("verdict", TEXT, "see solvers/measuring/score.py", "how it ended"),
            Column("correct", FLAG, "", "whether every output was right"),
            Column("metric", REAL, "the task's, or seconds", "what was measured"),
            Column("spread", REAL, "", "of its samples"),
            *SCORES,
            Column("baseline", REAL, "as metric", "the baseline measured on that node"),
            Column("reference", REAL, "as metric", "the reference measured on that node"),
            Column("seconds", REAL, "s", "wall-clock from asking to verdict"),
            Column("build_seconds", REAL, "s", "of the build"),
            Column("queued", REAL, "s", "waited for the timed core"),
            Column("why", TEXT, "", "what was wrong"),
            Column("log", TEXT, "", "the compiler's or verifier's last words"),
            Column("object", TEXT, "hex digits", "hash of what was built"),
            Column("seed", TEXT, "hex digits", "of the inputs"),
            Column("host", TEXT, "name", "where it was measured"),
            Column("cpu_model", TEXT, "", "on which processor"),
            Column("core", INT, "", "on which core"),
            Column("started_at", TIME, "UTC", "when it began"),
        ),
    ),
    "audits": (
        "One row per audit. Key: unit, branch, phase.",
        (
            *KEYS,
            ITERATION,
            BRANCH,
            Column("idea_id", TEXT, "id", "the idea that the code was held against"),
            Column("phase", TEXT, "before, after", "before or after the idea was rewritten"),
            Column("flags", TEXT, "joined by comma", "reward_hacking, idea_mismatch, task_mismatch, trivial"),
            Column("mechanical", TEXT, "joined by comma", "what rules found, without a model"),
            Column("confidence", REAL, "0-1", "the auditor's own"),
            Column("reasoning", TEXT, "", "why"),
            Column("reconstructed_title", TEXT, "", "the idea that the code is; NULL with the next five: not said"),
            Column("reconstructed_short_hypothesis", TEXT, "", "what it supposes"),
            Column("reconstructed_twist", TEXT, "", "what is unusual in it; NULL for a conservative one"),
            Column("reconstructed_grounded_in", TEXT, "", "where that stands in the code"),
            Column("reconstructed_addresses", TEXT, "", "what it is to mend"),
            Column("reconstructed_mode", TEXT, "conservative, unconventional", "how far it goes"),
            FALLBACK,
        ),
    ),
    "solutions": (
        "One row per file of each solution that is kept. Key: unit, solution, file.",
        (
            *KEYS,
            SOLUTION,
            Column("file", TEXT, "path", "the file's name"),
            Column("content", TEXT, "", "what it holds"),
            Column("encoding", TEXT, "text, base64", "how that is written"),
            Column("choice", TEXT, "JSON", "what it was rendered from, where a catalogue was"),
        ),
    ),
    "searches": (
        "One row per search that went to its end. Key: unit.",
        (
            *KEYS,
            Column("executions", INT, "executions", "N: what was shared among its branches"),
            Column("each", INT, "executions", "what each branch could start"),
            Column("left_over", INT, "executions", "what that division leaves to none"),
            Column("started", INT, "executions", "what branches started, lost ones with them"),
            Column("branches_planned", INT, "branches", "in all"),
            Column("branches_done", INT, "branches", "that came to an end"),
            Column("iterations_done", INT, "iterations", "that came to an end"),
            Column("best_branch", INT, "from 1", "whose attempt is the result; NULL where none held out"),
            Column("best_idea", TEXT, "id", "the idea that it counts for"),
            Column("score", REAL, "0-1", "of the result, as the search measured it"),
            Column("held_out_score", REAL, "0-1", "of the result on fresh seeds"),
            Column("held_out_metric", REAL, "the task's, or seconds", "the same as measured"),
            Column("failed_verifications", INT, "attempts", "better ones that fresh seeds did not bear out"),
            Column("seconds", REAL, "s", "wall-clock of the search, over all its lives"),
            Column("ended_by", TEXT, "branches, clock, policy", "what was spent, or who had nothing more to do"),
        ),
    ),
}

SEARCH_TABLES: Tables = {**POOL, **WORK}
