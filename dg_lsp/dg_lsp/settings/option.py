"""What every option says about itself: a sentence for people, and who may set it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

Scope = Literal["machine", "resource"]


@dataclass(frozen=True)
class Option:
    """Stands in an option's annotation beside its bounds.

    `machine`: one value for the whole server; a folder's answer that differs is refused, since what lies in a repository must not choose
    where code is sent or what is run. `resource`: each folder may have its own.
    """

    sentence: str
    scope: Scope = "resource"


class Section(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of the sections; names are camelCase on the wire."""
