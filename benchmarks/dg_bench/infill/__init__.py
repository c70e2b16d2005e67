"""How often a hole is filled as it was: lines cut out of files, filled through guesses, engine and shaping, and judged."""
