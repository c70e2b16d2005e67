"""The engine: fill and rewrite jobs in, drafts and completions out, from a block-diffusion language model."""
