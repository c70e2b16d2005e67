"""Our loop and transformers' `generate` side by side: what the suite `engine` is made of. Brings torch and transformers."""
