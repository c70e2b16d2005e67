"""Which document has which slot: a byte budget, least recently used out first. Holds no tensors itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from dg_engine.prefix.slot import Slot
from dg_engine.prefix.window import Anchor


@dataclass
class Entry:
    """A document's slot and where its window starts."""

    slot: Slot
    anchor: Anchor | None = None
    in_use: bool = False
    """True while a job runs on it: such a slot is never dropped."""


class SlotTable:
    """Slots by owner and document."""

    def __init__(self, new_slot: Callable[[], Slot], byte_budget: int) -> None:
        self._new_slot = new_slot
        self._byte_budget = byte_budget
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def bytes(self) -> int:
        """Memory of all slots, in bytes."""
        return sum(entry.slot.bytes for entry in self._entries.values())

    def take(self, key: Hashable) -> Entry:
        """The document's entry, new if need be, now the most recently used."""
        entry = self._entries.pop(key, None) or Entry(self._new_slot())
        self._entries[key] = entry
        entry.in_use = True
        return entry

    def give_back(self, entry: Entry) -> None:
        """The job is done with it; drops the least recently used slots until the budget holds, this one last."""
        entry.in_use = False
        total = self.bytes
        for key in [k for k, e in self._entries.items() if not e.in_use and e is not entry]:
            if total <= self._byte_budget:
                break
            total -= self._entries.pop(key).slot.bytes

    def release(self, key: Hashable) -> None:
        """The document was closed."""
        self._entries.pop(key, None)

    def release_where(self, gone: Callable[[Hashable], bool]) -> None:
        """Drop every document whose key is `gone`: its front has left."""
        for key in [k for k in self._entries if gone(k)]:
            del self._entries[key]

    def clear(self) -> None:
        """Drop every slot that no job runs on (the first answer to running out of memory)."""
        for key in [k for k, e in self._entries.items() if not e.in_use]:
            del self._entries[key]
