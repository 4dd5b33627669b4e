"""What stands beside each table and figure: what was done, on how many, with which interval."""

AVERAGED = "A paper's replicates are averaged first;"
T_INTERVAL = f"{AVERAGED} brackets are 95% t-intervals over papers, none where there is one paper."
BOTH = f"{T_INTERVAL} The bootstrap is the percentile one over papers, 10,000 draws."
ENDS = "over games that have both"

CAPTIONS = {
    "outcome": (
        f"Score (panel mean, 1–10) of the first card, written before any question, and of the final one, {ENDS}."
        f" {T_INTERVAL} Of few papers they may leave the scale; the file has bootstrap bounds, which do not."
    ),
    "curves": f"Score (panel mean, 1–10) after t questions. {BOTH}",
    "gains": f"Score at the end of a stage less the score at its start, {ENDS}. {BOTH}",
    "correlation": (
        f"Pearson's r between a game's score after k questions and its final score, {ENDS}. Brackets are 95% percentile"
        " bootstrap intervals over papers, 10,000 draws, none below three papers; no r below three games or where a"
        " score does not vary."
    ),
    "rank_agreement": (
        "Spearman's ρ of each pair of judges over the cards that both rated, of games of every kind (plain, forks,"
        " pooled): over all cards, and over the final ones alone. No interval."
    ),
    "leniency": (
        "A judge's score less the mean of the other judges on the same card, over cards that the whole panel rated. A"
        " paper's cards are averaged first; brackets are 95% t-intervals over papers."
    ),
    "missing_ratings": (
        "Ratings that the panel owes to the cards, and how many are NULL or not there. A card without all of them has"
        " no score."
    ),
    "status": "Plain games by how they ended. The kinds of error are explained in actors/errors.py.",
    "cost": (
        "The calls that made these units, whichever run paid for them. Tokens and dollars are sums over the calls that"
        " tell; – means that none does. Requests count those that were refused or lost on the way."
    ),
    "questions": (
        "Questions of games of every kind: plain, forks from their cut on, pooled (under the selector's name; of a"
        " random pick, the card writer's). Answers as shares of all questions; then"
        " the shares of questions that still broke a rule after two more"
        " samples; then replies sampled for a question, on average."
    ),
}

FIGURES = {
    "curves": (
        "Mean score after t questions; bars are 95% t-intervals over papers, cut at the ends of the scale."
        f" {AVERAGED} models stand side by side at"
        " each t so that their bars can be told apart."
    ),
    "gains": (
        f"Mean gain in each stage; bars are 95% t-intervals over papers. {AVERAGED} a game needs a score at both ends."
    ),
    "correlation": (
        "Pearson's r between the score after k questions and the final score, over games; bars are 95% percentile"
        " bootstrap intervals over papers, 10,000 draws."
    ),
    "judges": (
        "Mean of a judge's score less the mean of the other judges on the same card, over all models, surveys and t;"
        " bars are 95% t-intervals over papers."
    ),
}
