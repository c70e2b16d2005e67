"""Text to ids and back, exactly."""
