"""Hours in minutes: several windows that type, cancel, close, crash, and an engine that is killed under them."""
