"""What the user may set, typed, with defaults; a bad value keeps its default and is told."""
