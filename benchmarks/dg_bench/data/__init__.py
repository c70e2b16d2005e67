"""Source files to cut holes out of, written for that: on everyday topics, in an ordinary style. Kept as they are: figures compare by them."""
