"""The kinds of facts that a search has on its tapes, and the one value that several of them carry."""

EXECUTION = "execution"  # one that is counted
ANCHORS = "anchors"  # the scale of the node that a branch was measured on
END = "end"  # a branch has ended, with its attempt
HELD_OUT = "held_out"  # a verification of the search's result
CLOCK = "clock"  # seconds of the search: of its own before an iteration; in executions and ends, when they came
