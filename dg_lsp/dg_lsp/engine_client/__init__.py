"""The front's end of the engine: starting or finding one, jobs over its socket, and what happens when it goes."""
