"""The rules, one a file: `apply(text, spot)` returns what is left of the text; empty means that nothing is shown."""
