"""Programs written for the benchmark, in an ordinary style, that no model was trained on. Figures compare by them: keep them as they are."""
