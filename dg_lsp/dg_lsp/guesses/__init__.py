"""Guesses: what followed the same words elsewhere in the open documents. Text only; where the model starts from instead of noise."""
