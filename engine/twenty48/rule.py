"""How tiles merge: by the common rule, or by the rule ``cascade`` of one program.

A row slides towards its first cell, and its tiles are taken in order from there. By the common
rule, a tile merges with the tile before it if the two are equal and that tile has not merged yet.
With ``cascade``, that tile may already have merged: 2 2 4 becomes 8 in one action, and 2 2 4 8
becomes 16. Under both rules, 4 2 2 and 2 2 2 2 become 4 4, and the same actions are legal.

Sources: the common rule is that of the original game. ``cascade`` is the rule of the program that
Ripstein (2023) published; the paper does not mention it. This rule makes 2048 easier.

Kernels take a rule as an argument of type ``None`` (common) or ``bool`` (cascade). For each of the
two types, numba compiles a separate version of a kernel, without the code of the other rule. So
``cascade`` does not make games by the common rule slower.
"""

from enum import Enum

BuiltRule = bool | None
"""A rule as a kernel's argument."""


class Rule(Enum):
    """The rule by which tiles merge."""

    COMMON = "common"
    CASCADE = "cascade"

    @property
    def built(self) -> BuiltRule:
        """The rule in the form that kernels take: None for ``COMMON``, True for ``CASCADE``."""
        return None if self is Rule.COMMON else True
