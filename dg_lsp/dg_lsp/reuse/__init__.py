"""Answers from memory."""
