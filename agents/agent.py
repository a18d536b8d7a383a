"""What every agent is: frozen parameters, and ``play(seed)``; and what every finished game tells.

*Seconds per move* is the CPU time of the thread that decides, divided by the moves of the game. It is
taken warm: an agent's kernels are compiled, or loaded from the cache, before the first clock starts.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Game:
    """One finished game: what games of all kinds have in common.

    A kind of its own is a subclass, which says its name: ``class CoinGame(Game, kind="coin")``.

    Attributes
    ----------
    seed : int
        What the game was played with: the same agent and seed give the same game.
    score : int or float
        In points.
    n_moves : int
        Actions taken, one at least.
    seconds : float
        CPU seconds of the deciding thread, all moves together.
    kind : str
        Of the class: what its records are told by.
    kinds : dict of str to type
        Of all classes: who has which name.
    """

    seed: int
    score: float
    n_moves: int
    seconds: float

    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, type["Game"]]] = {}

    def __init_subclass__(cls, *, kind: str) -> None:
        super().__init_subclass__()
        cls.kind = kind
        Game.kinds[kind] = cls

    def as_record(self) -> dict[str, Any]:
        """Return the game as plain JSON data, by the names of its fields."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read back what :meth:`as_record` wrote. Whoever has fields that JSON does not know overrides both."""
        return cls(**record)


class Agent(ABC):
    """A policy for some game with its parameters. Subclasses are frozen dataclasses."""

    @property
    def built_for(self) -> Hashable:
        """What its kernels are compiled for, beside its class: for a parameter's type, say. None by default."""
        return None

    @abstractmethod
    def warm_up(self) -> None:
        """Call each kernel once: what it is to be built for is all that matters. See :func:`warm`."""

    @abstractmethod
    def play(self, seed: int) -> Game:
        """Play one game from its start to its end.

        Parameters
        ----------
        seed : int
            Names every random number of the game; 0 to 2⁶³ − 1.

        Returns
        -------
        Game
            The finished game; the same for the same agent and seed, ``seconds`` apart.

        Raises
        ------
        ValueError
            If the seed is out of range.
        """


WARM: set[tuple[type[Agent], Hashable]] = set()
"""The classes of agents, and what their kernels are built for, that are compiled in this process."""


def warm(agent: Agent) -> None:
    """Compile the kernels of an agent, or load them, outside every measured time."""
    built = (type(agent), agent.built_for)
    if built not in WARM:
        agent.warm_up()
        WARM.add(built)


def check_seed(seed: int) -> None:
    """Refuse a game's seed that is out of range, by ValueError."""
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"seed: {seed} given, 0 to 2**63 - 1 allowed")
