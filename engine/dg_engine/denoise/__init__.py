"""The denoising loop: canvas, noise, acceptance, stop."""
