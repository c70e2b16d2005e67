"""GPU kernels, each beside the plain-torch reference that is the truth in tests."""
