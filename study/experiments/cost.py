"""What playing costs: the objective that is minimized.

Seconds per move is what a user waits for, and belongs to the machine it was measured on. Playout moves
per move count the same work exactly: the same on every machine, and in every run. So do Bellman backups for an
agent that plans by them. Where all thinking is done before the game, a replicate is one solution, and what
counts is what that takes: seconds, or sweeps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.agent import Game
from study.errors import InputError

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
    """One way to say what playing costs.

    Attributes
    ----------
    name : str
        As tables call its column.
    label : str
        For axes.
    unit : str
        ``s`` for seconds; empty for a count.
    counts : str
        The attribute of a game that is summed.
    per_move : bool
        Whether the sum is divided by the moves of all games; otherwise by how many games there are.
    """

    name: str
    label: str
    unit: str = ""
    counts: str = "seconds"
    per_move: bool = True

    def of(self, games: Sequence[Game]) -> float:
        """Return the cost of a move, over all moves of some games, or that of a game; there must be one game."""
        total = sum(getattr(game, self.counts) for game in games)
        return float(total / (sum(game.n_moves for game in games) if self.per_move else len(games)))

    def show(self, value: float) -> str:
        """Write a cost for people."""
        return engineering(value) if self.unit == "s" else f"{value:,.0f}"

    def phrase(self, value: float) -> str:
        """Write a cost for people in a sentence: ``1.00 ms a move``."""
        if self.per_move:
            return f"{self.show(value)} a move"
        return self.show(value) if self.unit else f"{self.show(value)} {self.label}"

    @property
    def option(self) -> str:
        """The command line's option for a limit."""
        return f"--{self.name.replace('_', '-')}"


SECONDS = Cost("seconds_per_move", "CPU time a move", "s")
PLAYOUT_MOVES = Cost("playout_moves_per_move", "playout moves a move", counts="n_playout_moves")
BACKUPS = Cost("backups_per_move", "Bellman backups a move", counts="n_backups")
SOLVING_SECONDS = Cost("solving_seconds", "CPU time to solve", "s", per_move=False)
SWEEPS = Cost("n_sweeps", "sweeps to solve", counts="n_sweeps", per_move=False)
COSTS = {each.name: each for each in (SECONDS, PLAYOUT_MOVES)}
"""Those that experiments of 2048 offer."""


def cost_by_name(name: str, offered: Iterable[Cost] = tuple(COSTS.values())) -> Cost:
    """Return the cost called ``name`` among those offered; InputError if there is none."""
    by_name = {each.name: each for each in offered}
    if name not in by_name:
        raise InputError(f"cost: {name!r} given, one of {', '.join(by_name)} allowed")
    return by_name[name]
