"""From the model's text to what is shown: small rules in a fixed order."""
