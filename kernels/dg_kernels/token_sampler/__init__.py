"""From the logits of open rows to sampled tokens: one function, one read of the vocabulary."""

from dg_kernels.token_sampler.naive import TokenSample, sample_tokens

__all__ = ["TokenSample", "sample_tokens"]
