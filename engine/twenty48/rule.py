"""How tiles merge: the common rule, and the cascade of one program.

A row slides towards its first cell, and its tiles are taken in order from there. A tile merges with
an equal one before it that has not merged yet; with ``cascade``, even if that one has merged. Then
2 2 4 becomes 8 in one action, and 2 2 4 8 becomes 16; but 4 2 2 becomes 4 4, and 2 2 2 2 becomes
4 4, as with the common rule. The same actions are legal under both rules.

Sources: the common rule is that of the original game. ``cascade`` is the rule of the program that
Ripstein (2023) published; the paper does not mention it. It makes 2048 easier.

Kernels take a rule as an argument whose *type* differs, ``None`` or ``bool``. numba compiles one
version for each type without the other's branch, so the common game does not pay for the cascade.
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
        """The rule in the form for kernels: None for the common one, True for the cascade."""
        return None if self is Rule.COMMON else True
