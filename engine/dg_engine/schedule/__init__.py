"""Which job is worked on next; holds no tensors."""
