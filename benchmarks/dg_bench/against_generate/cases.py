"""What both sides came to in one case, as rows of the record."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean

from dg_bench.against_generate.filled import Filled
from dg_bench.items import exact, similarity
from dg_bench.record import Row, row


@dataclass
class Side:
    """One side's values, an entry an item."""

    ms: list[float] = field(default_factory=list)
    passes: list[float] = field(default_factory=list)
    similarity: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)

    def add(self, filled: Filled, gold: str) -> None:
        """Keep one fill."""
        self.ms.append(filled.ms)
        self.passes.append(float(filled.passes))
        self.similarity.append(similarity(filled.text, gold))
        self.exact.append(float(exact(filled.text, gold)))


class Case:
    """One comparison: its name, our values, theirs."""

    def __init__(self, name: str) -> None:
        self.name, self.ours, self.theirs = name, Side(), Side()

    def add(self, ours: Filled, theirs: Filled, gold: str) -> None:
        """Keep both sides' fill of one item."""
        self.ours.add(ours, gold)
        self.theirs.add(theirs, gold)

    def ratio(self) -> float:
        """Of summed times, ours / theirs: what somebody waits in all."""
        return round(sum(self.ours.ms) / sum(self.theirs.ms), 4)

    def within(self, budget: float, slack: float) -> bool:
        """Whether the ratio keeps the budget, at a mean similarity of at most `slack` below theirs: speed for worse text is none."""
        return self.ratio() <= budget and fmean(self.ours.similarity) >= fmean(self.theirs.similarity) - slack

    def rows(self, budget: float | None = None, slack: float = 0.0) -> list[Row]:
        """Times with their ratio first, beside them what was written for it."""
        judged = {} if budget is None else {"budget": budget, "judged": "ratio", "met": self.within(budget, slack)}
        rows = [
            row(self.name, "ours", "ms", self.ours.ms, ratio=self.ratio(), **judged),
            row(self.name, "theirs", "ms", self.theirs.ms),
        ]
        for figure, unit in (("similarity", "share"), ("exact", "share"), ("passes", "passes")):
            for name, side in (("ours", self.ours), ("theirs", self.theirs)):
                rows.append(row(self.name, f"{figure} {name}", unit, getattr(side, figure)))
        return rows
