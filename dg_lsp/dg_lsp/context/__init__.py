"""What the model gets to see around the cursor."""
