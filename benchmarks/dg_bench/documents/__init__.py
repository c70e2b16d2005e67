"""Two servers' handlers, fed with the same keys: what the suite `documents` is made of."""
