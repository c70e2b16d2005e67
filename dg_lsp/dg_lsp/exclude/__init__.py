"""Which documents are never completed and never read as context."""
