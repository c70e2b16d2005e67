"""Slots: what the encoder has seen of each document."""
