"""The engine as a process: socket, clients, the thread that owns the model."""
