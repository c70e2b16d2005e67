"""A loaded model: network, tokenizer and profile, ready for jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from dg_engine.backbone.base import Backbone
from dg_engine.judge import JUDGE_FILE, JudgeWeights
from dg_engine.loading.builtin import builtin_folder
from dg_engine.loading.folder import ModelFolder, open_folder
from dg_engine.loading.load import load_backbone
from dg_engine.loading.sound import reading
from dg_engine.profiles.base import Profile
from dg_engine.profiles.check import check_profile
from dg_engine.profiles.choose import choose_profile
from dg_engine.text.tokenizer import TextTokenizer

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Model:
    """What a job needs; owned by one thread."""

    folder: ModelFolder
    backbone: Backbone
    tokenizer: TextTokenizer
    profile: Profile

    @classmethod
    def load(
        cls,
        folder: Path | None = None,
        *,
        backbone: str = "auto",
        device: str = "auto",
        dtype: str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
    ) -> Model:
        """Load a folder in Hugging Face layout, the built-in starter when none is given. Raises ModelError.

        `backbone`: auto, own or reference; `device`: auto, cpu or cuda; `dtype`: auto, float32 or bfloat16. `memory_limit` in bytes.
        """
        if threads:
            torch.set_num_threads(threads)
        opened = open_folder(folder or builtin_folder())
        with reading(f"{opened.path}: config.json or the weights"):
            network = load_backbone(
                opened, backbone=backbone, device=device, dtype=dtype, memory_limit=memory_limit, progress=progress
            )
        with reading(opened.tokenizer_file):
            tokenizer = TextTokenizer.open(opened.tokenizer_file, network.vocabulary)
        with reading(f"{opened.path / 'config.json'} or generation_config.json"):
            profile = choose_profile(opened.config, opened.generation, tokenizer.special_tokens)
            check_profile(profile, network.vocabulary)
        if (judge := opened.path / JUDGE_FILE).is_file():
            with reading(judge):
                profile = replace(profile, judge=JudgeWeights.read(judge.read_bytes()))
        return cls(opened, network, tokenizer, profile)
