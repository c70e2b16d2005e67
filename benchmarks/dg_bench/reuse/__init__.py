"""Work that is not thrown away: what the suite `reuse` is made of."""
