"""The front by itself: a real server over stdio, the engine a double that takes a fixed time."""
