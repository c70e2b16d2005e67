"""What each checkpoint family needs, one file a family."""
