"""Ending when the editor does."""
