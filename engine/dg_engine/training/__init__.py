"""Training of small models on the very arithmetic and inputs of inference: network, batches, losses, loop."""
