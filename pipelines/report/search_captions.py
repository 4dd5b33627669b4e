"""What stands beside each table and figure of a report of searches."""

REPLICATES = "± is the standard error over replicates, none where there is one."
X100 = "Scores x 100, on the task's scale: of a system task 0 is the baseline and 50 the reference."
TOKENS_UNKNOWN = (
    "There is no line against tokens: they are not known for every call of any search here, or none were used."
)

CAPTIONS = {
    "summary": f"{X100} Held out: the result measured again on seeds that no search has seen. {REPLICATES}",
    "search_results": f"{X100} Best at: executions started, and minutes, when the best score was measured.",
    "operators": (
        "Sums over searches. Fallbacks: decisions that an operator's rule made, because two replies could not stand; –"
        " where the tables do not tell. Dispatch asks for clusters, then for ideas. – for tokens: no call tells them."
    ),
    "actions": "Of the branches that chose by cluster and idea, how many explored and exploited, by iteration.",
    "expansion_kinds": "Of the ideas that branches brought into the pool, after what was not allowed was dropped.",
    "idea_growth": "Ideas that came after each iteration (0: the first pool), and how many there were then.",
    "mismatch": "Audits that found the code not to be the idea: as assigned, and after the idea was rewritten to it.",
    "search_status": "Searches by how they ended. The kinds of error are explained in actors/errors.py.",
}

FIGURES = {
    "best": (
        f"{X100} Best so far, from the first right execution. Executions stand in the order in which they started, over"
        " all branches; time runs from the search's first execution or call to each verdict, with pauses between its"
        " lives; tokens are those of calls that had come back by then. Where a policy has replicates, the line is their"
        " mean, the band one standard error, and thin lines are the searches. What a discarded branch measured raises"
        " no line."
    ),
    "clusters": (
        f"{X100} Best score of the branches that each cluster got in each iteration; in brackets how many. · marks an"
        " iteration in which the cluster was there and got none. A row is one cluster over the iterations, matched by"
        " the greatest overlap of ideas; its name is the last."
    ),
}
