"""How a solution gets its score: built apart, measured by the harness on a core of its own, put on a scale."""
