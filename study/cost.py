"""What a move costs: the objective that is minimized.

Seconds per move is what a user waits for, and belongs to the machine it was measured on. Playout moves
per move count the same work exactly: the same on every machine, and in every run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.agent import Game
from study.errors import InputError
from study.replicate import summarize

__all__ = ["COSTS", "PLAYOUT_MOVES", "SECONDS", "Cost", "cost_by_name", "engineering"]

SECONDS_PREFIXES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def engineering(seconds: float) -> str:
    """Write a time with three digits and a readable unit: ``183 µs``, ``1.25 ms``."""
    seconds = float(f"{seconds:.3g}")
    for scale, unit in SECONDS_PREFIXES:
        if seconds >= scale:
            return f"{f'{seconds / scale:#.3g}'.rstrip('.')} {unit}"
    return f"{seconds:g} s"


@dataclass(frozen=True)
class Cost:
    """One way to say what a move costs.

    Attributes
    ----------
    name : str
        As tables call its column, and :class:`study.replicate.Summary` its attribute.
    label : str
        For axes.
    unit : str
        ``s`` for seconds; empty for a count.
    """

    name: str
    label: str
    unit: str = ""

    def of(self, games: Sequence[Game]) -> float:
        """Return the cost of a move, over all moves of some games."""
        return float(getattr(summarize(games), self.name))

    def show(self, value: float) -> str:
        """Write a cost for people."""
        return engineering(value) if self.unit == "s" else f"{value:,.0f}"


SECONDS = Cost("seconds_per_move", "CPU time a move", "s")
PLAYOUT_MOVES = Cost("playout_moves_per_move", "playout moves a move")
COSTS = {each.name: each for each in (SECONDS, PLAYOUT_MOVES)}


def cost_by_name(name: str) -> Cost:
    """Return the cost called ``name``; InputError if there is none."""
    if name not in COSTS:
        raise InputError(f"cost: {name!r} given, one of {', '.join(COSTS)} allowed")
    return COSTS[name]
