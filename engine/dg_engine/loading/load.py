"""From a checked folder to a network on its device."""

from __future__ import annotations

from collections.abc import Callable

from dg_engine.backbone.base import Backbone
from dg_engine.loading.device import check_fits, choose_device, choose_dtype
from dg_engine.loading.folder import ModelFolder

Progress = Callable[[float, str], None]


def load_backbone(
    folder: ModelFolder,
    *,
    backbone: str = "auto",
    device: str = "auto",
    dtype: str = "auto",
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Backbone:
    """`backbone` is auto (ours), own or reference (transformers'); `memory_limit` in bytes. Raises ModelError."""
    where = choose_device(device)
    kind = choose_dtype(dtype, where)
    check_fits(folder.network, where, kind, memory_limit)
    tell = progress or (lambda _share, _doing: None)
    tell(0.1, "reading weights")
    if backbone == "reference":
        from dg_engine.backbone.reference import ReferenceBackbone  # noqa: PLC0415  brings transformers, which ours does without

        return ReferenceBackbone.load(folder, where, kind)
    from dg_engine.backbone.own import OwnBackbone  # noqa: PLC0415  one of the two is needed

    return OwnBackbone.load(folder, where, kind, lambda share: tell(0.1 + 0.9 * share, "reading weights"))
