"""The tables that the questioning game alone has."""

from pipelines.column import FLAG, GAME_KEYS, INT, PROMPT, TEXT, UNIT, Column, Tables

GAME_TABLES: Tables = {
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
}
