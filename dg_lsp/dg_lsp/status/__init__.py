"""How the server is, for people: `dg/status`, progress while the model loads, and one notice when there is no engine."""
