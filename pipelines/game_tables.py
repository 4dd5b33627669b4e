"""The tables that the questioning game alone has: what games leave, and what is read out of stored games."""

from pipelines.column import FLAG, GAME_KEYS, INT, PROMPT, TEXT, UNIT, Column, Tables

GAME = Column("game", TEXT, "id", "the stored game that is read: a game, a fork or a pooled game")
ANNOTATOR = Column("annotator", TEXT, "name", "the model that reads")

PLAYED_TABLES: Tables = {
    "turns": (
        "One row per question. Key: unit, t.",
        (
            UNIT,
            *GAME_KEYS,
            Column("t", INT, "from 1", "number of the question"),
            Column("question", TEXT, "", "what was asked"),
            Column("answer", TEXT, "YES, NO, UNKNOWN", "what the answerer said"),
            Column("empty", FLAG, "", "the question is empty, after two more samples"),
            Column("compound", FLAG, "", "it asks two things by its form, after two more samples"),
            Column("not_yes_no", FLAG, "", "it is no yes/no question by its form, after two more samples"),
            Column("repeat", FLAG, "", "it was asked before in this game, after two more samples"),
            Column("samples", INT, "replies", "how many questions were sampled for this turn"),
            Column("prompt", TEXT, "12 hex digits", "hash of the question template"),
            Column("answer_prompt", TEXT, "12 hex digits", "hash of the answer template"),
        ),
    ),
    "cards": (
        "One row per idea card. Key: unit, t.",
        (
            UNIT,
            *GAME_KEYS,
            Column("t", INT, "questions", "how many questions had been answered"),
            Column("contribution", TEXT, "", "the idea in the inquisitor's words"),
            Column("approach", TEXT, "", "how it works"),
            Column("components", TEXT, "one a line", "its parts"),
            Column("novelty", TEXT, "", "what is new in it"),
            Column("confidence", INT, "0-100", "the inquisitor's own; no judge sees it"),
            PROMPT,
        ),
    ),
    "picks": (
        "One row per question that was proposed in a pooled game. Key: unit, t, position.",
        (
            UNIT,
            *GAME_KEYS,
            Column("t", INT, "from 1", "number of the question that was chosen from these"),
            Column("position", INT, "from 1", "place in the shuffled list that the selector saw"),
            Column("proposer", TEXT, "name", "who proposed it; the selector is not told"),
            Column("question", TEXT, "", "what was proposed"),
            Column("chosen", FLAG, "", "the selector's choice: it was asked"),
        ),
    ),
    "candidates": (
        "One row per candidate solution of a closed-book probe. Key: unit, sample, number.",
        (
            UNIT,
            *GAME_KEYS,
            Column("sample", INT, "from 0", "which of the repeated lists"),
            Column("number", INT, "from 1", "place in its list"),
            Column("idea", TEXT, "", "the candidate in the model's words"),
            PROMPT,
        ),
    ),
}

READ_TABLES: Tables = {
    "ratings": (
        "One row per card and judge. Key: game, t, judge.",
        (
            UNIT,
            Column("game", TEXT, "id", "the rated game's unit"),
            *GAME_KEYS,
            Column("t", INT, "questions", "which card"),
            Column("judge", TEXT, "name", "who rates"),
            Column("score", INT, "1-10", "how much of the solution the card recovers; NULL if no valid rating came"),
            Column("rationale", TEXT, "", "the judge's reason; NULL with the score"),
            PROMPT,
        ),
    ),
    "recognitions": (
        "One row per probe and annotator: whether the union of its lists holds the core idea. Key: game, annotator.",
        (
            UNIT,
            Column("game", TEXT, "id", "the probe's unit"),
            *GAME_KEYS,
            ANNOTATOR,
            Column("listed", FLAG, "", "some candidate is the core idea; NULL if no valid reply came"),
            Column("candidate", INT, "from 1", "which one, counted through all lists; NULL if none is"),
            Column("rationale", TEXT, "", "the annotator's reason"),
            PROMPT,
        ),
    ),
    "mentions": (
        "One row per question or final card and annotator. Key: game, annotator, place, t.",
        (
            UNIT,
            GAME,
            *GAME_KEYS,
            ANNOTATOR,
            Column("place", TEXT, "question, card", "what is read: a question, or the final card"),
            Column("t", INT, "questions", "which question, or how many the card follows"),
            Column("core", FLAG, "", "it refers to the survey's core phrase; NULL if no valid reply came"),
            Column("decoy", FLAG, "", "it refers to the decoy phrase; NULL if no valid reply came"),
            PROMPT,
        ),
    ),
    "lines": (
        "One row per question and annotator: which line of the survey it asks about. Key: game, annotator, t.",
        (
            UNIT,
            GAME,
            *GAME_KEYS,
            ANNOTATOR,
            Column("t", INT, "from 1", "which question"),
            Column("line", INT, "from 1", "line of the survey, counted through; 0: none of them; NULL if not valid"),
            Column("inserted", INT, "from 1", "the line that names the core under full, else the decoy"),
            Column("of", INT, "lines", "how many lines the survey has"),
            PROMPT,
        ),
    ),
    "parents": (
        "One row per question and annotator: what it follows from, in the question tree. Key: game, annotator, t.",
        (
            UNIT,
            GAME,
            *GAME_KEYS,
            ANNOTATOR,
            Column("t", INT, "from 1", "which question"),
            Column("parent", INT, "from 1", "an earlier question; 0: the problem; NULL: invalid after one repair"),
            Column("repaired", FLAG, "", "the first reply was invalid, the second was not"),
            PROMPT,
        ),
    ),
    "answers": (
        "One row per stored question and candidate answerer. Key: game, answerer, t.",
        (
            UNIT,
            GAME,
            *GAME_KEYS,
            Column("answerer", TEXT, "name", "who answers it again, on the same evidence and prompt"),
            Column("t", INT, "from 1", "which question"),
            Column("answer", TEXT, "YES, NO, UNKNOWN", "what it said; NULL if no valid reply came"),
            PROMPT,
        ),
    ),
}

GAME_TABLES: Tables = {**PLAYED_TABLES, **READ_TABLES}
