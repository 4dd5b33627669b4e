"""The scripted world: players, an answerer and judges over solutions whose truth is known (section 7)."""
