"""How tiles merge: the common rule, and the cascade of one program.

Notation, for a row that slides towards its first cell, its tiles taken from there on:

===========  =======================================================================================
common       a tile merges with the one before it if they are equal and that one has not merged yet
cascade      a tile merges with the one before it if they are equal, whether or not that one has merged
===========  =======================================================================================

So under ``cascade`` 2 2 4 becomes 8 by one action, and 2 2 4 8 becomes 16; but 4 2 2 becomes 4 4, and
2 2 2 2 becomes 4 4, as in the common game. An action is legal under one rule where it is legal under the other.

Sources: the common rule is that of the original game. ``cascade`` is what the published program of
Ripstein (2023) does, which the paper does not say; it makes 2048 easier.

A rule is chosen when a kernel is built. Kernels take it as an argument whose *type* differs, ``None`` or
``bool``: numba compiles a kernel for each, and leaves out the branch that the type rules out. The common game
pays nothing for it.
"""

from enum import Enum

BuiltRule = bool | None
"""A rule as kernels take it."""


class Rule(Enum):
    """The rule by which tiles merge."""

    COMMON = "common"
    CASCADE = "cascade"

    @property
    def built(self) -> BuiltRule:
        """The rule as kernels take it: None for the common one, True for the cascade."""
        return None if self is Rule.COMMON else True
