"""The tables of a search's pool: what the manager proposed, put in order, learnt and planned."""

from pipelines.column import FLAG, INT, SEARCH_KEYS, TEXT, UNIT, Column, Tables

KEYS = (UNIT, *SEARCH_KEYS)
FALLBACK = Column("fallback", FLAG, "", "true: no reply could stand, so the operator's rule decided")
ITERATION = Column("iteration", INT, "from 1", "in which iteration")
BRANCH = Column("branch", INT, "from 1", "which branch of the search")
WHY = Column("rationale", TEXT, "", "why, in the model's words")

POOL: Tables = {
    "ideations": (
        "One row per round of the ideator and its critic. Key: unit, iteration, round.",
        (
            *KEYS,
            ITERATION,
            Column("round", INT, "1, 2", "the second asks for what the first left missing"),
            Column("asked", INT, "ideas", "how many were wanted"),
            Column("proposed", INT, "ideas", "how many the ideator's reply holds"),
            Column(
                "dropped", INT, "ideas", "of these, not usable: title known, no technique of the catalogue, too many"
            ),
            Column("refused", INT, "ideas", "not feasible, by the critic"),
            Column("kept", INT, "ideas", "how many came into the pool"),
            FALLBACK,
            Column("critic_fallback", FLAG, "", "the same of the critic's"),
        ),
    ),
    "ideas": (
        "One row per idea of the pool, in order of arrival. Key: unit, id.",
        (
            *KEYS,
            Column("id", TEXT, "id", "the idea, within its search"),
            Column("source", TEXT, "ideator, refined, fresh_inject", "where it came from"),
            Column("kind", TEXT, "seed, fix_error, push_score, cross_pollinate, new_idea", "what it is meant to do"),
            Column("iteration", INT, "from 0", "after which iteration it came; 0: the first pool"),
            Column("parent_id", TEXT, "id", "the idea that it was made from; NULL where it has none"),
            Column("sibling_referenced", TEXT, "id", "the idea of the same iteration that it takes from"),
            Column("lesson_context_idea", TEXT, "id", "the idea whose lesson it takes from"),
            Column("title", TEXT, "", "its title"),
            Column("short_hypothesis", TEXT, "", "what should hold"),
            Column("abstract", TEXT, "200 words", "the idea"),
            Column("experiments", TEXT, "one a line", "hypothesis: step; step"),
            Column("risks", TEXT, "", "what may go wrong"),
            Column("techniques", TEXT, "one a line", "what it names of the task's catalogue"),
        ),
    ),
    "clusters": (
        "One row per idea and cluster of an iteration. Key: unit, iteration, idea_id.",
        (
            *KEYS,
            ITERATION,
            Column("cluster", INT, "from 1", "which cluster of that iteration"),
            Column("label", TEXT, "", "its name"),
            Column("theme", TEXT, "", "what its ideas share"),
            WHY,
            FALLBACK,
            Column("idea_id", TEXT, "id", "an idea in it"),
        ),
    ),
    "ranks": (
        "One row per rank that was given. Key: unit, iteration, cluster, idea_id.",
        (
            *KEYS,
            ITERATION,
            Column("cluster", INT, "from 1", "which cluster"),
            Column("idea_id", TEXT, "id", "the idea that is ranked within it; NULL: the cluster itself is ranked"),
            Column("rank", INT, "from 1", "dense: 1 is the best, ties share one"),
            Column("of", INT, "things", "how many were ranked together"),
            WHY,
            FALLBACK,
        ),
    ),
    "lessons": (
        "One row per lesson, whenever it was written or consolidated.",
        (
            *KEYS,
            ITERATION,
            Column("tag", TEXT, "", "what it is about"),
            Column("lesson", TEXT, "", "what was learnt"),
            Column("context_idea", TEXT, "id", "the idea that it comes from"),
            FALLBACK,
            Column("kept", FLAG, "", "whether consolidation left it among the lessons"),
        ),
    ),
    "consolidations": (
        "One row per time that lessons were more than may be kept. Key: unit, iteration.",
        (
            *KEYS,
            ITERATION,
            Column("lessons", INT, "lessons", "how many there were"),
            Column("cap", INT, "lessons", "how many may be kept"),
            Column("kept", INT, "lessons", "how many were"),
            FALLBACK,
        ),
    ),
    "plans": (
        "One row per iteration of each plan that stood. Key: unit, after_iteration, iteration.",
        (
            *KEYS,
            Column("after_iteration", INT, "from 0", "how many iterations were done when it was made"),
            ITERATION,
            Column("branches", INT, "branches", "how many the plan gives that iteration"),
            WHY,
            FALLBACK,
        ),
    ),
    "expansions": (
        "One row per branch that the pool was expanded from. Key: unit, branch.",
        (
            *KEYS,
            ITERATION,
            BRANCH,
            Column("proposed", INT, "ideas", "how many were proposed"),
            Column("kept", INT, "ideas", "how many of them came into the pool"),
            Column("dropped", INT, "ideas", "how many were not allowed"),
            FALLBACK,
        ),
    ),
}
