"""What every agent is, and what every finished game records.

*Seconds* are CPU time of the thread that decides. They are taken warm: an agent's kernels are compiled,
or loaded from the cache, before the first clock starts.
"""

import dataclasses
import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_type_hints

from agents.parameters import Value, check_parameters, plain_values

LARGEST_SEED = 2**63 - 1
N_DIGITS = 12


def column(
    name: str = "",
    write: Callable[[Any], Any] | None = None,
    read: Callable[[Any], Any] | None = None,
) -> Any:
    """Declare how a field of a :class:`Game` becomes a cell of a row.

    Parameters
    ----------
    name : str
        The column, with its unit; the field's name if empty.
    write, read : callable, optional
        Convert the field to plain JSON data, and that, or its text in a CSV file, back. By default the
        value is written as it is and read by the field's type.
    """
    return dataclasses.field(metadata={"column": name, "write": write, "read": read})


@dataclass(frozen=True)
class Game:
    """One finished game. Each game that can be played has a subclass: ``class CoinGame(Game, kind="coin")``.

    Attributes
    ----------
    seed : int
        The same agent and seed give the same game, ``seconds`` apart.
    score : int or float
        In points.
    n_moves : int
        Actions taken, at least one.
    seconds : float
        CPU seconds of the deciding thread, all moves together.
    kind : str
        The name of the subclass in stored records.
    kinds : dict of str to type
        All subclasses by name.
    """

    seed: int
    score: float = column("score_points")
    n_moves: int = column()
    seconds: float = column("cpu_seconds")

    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, type["Game"]]] = {}

    def __init_subclass__(cls, *, kind: str) -> None:
        super().__init_subclass__()
        cls.kind = kind
        Game.kinds[kind] = cls

    @property
    def is_possible(self) -> bool:
        """Whether some game could have these figures: a check on what was read from a file."""
        counts = [value for value in dataclasses.astuple(self) if isinstance(value, int | float)]
        return (
            all(map(math.isfinite, counts)) and min(self.seed, self.n_moves - 1, self.seconds) >= 0
        )

    @classmethod
    def columns(cls) -> dict[str, str]:
        """Return the column of each field, in order."""
        return {name: each.column for name, each in cells_of(cls).items()}

    def to_row(self) -> dict[str, Any]:
        """Return the game as plain JSON data, by field."""
        return {
            name: each.write(getattr(self, name)) for name, each in cells_of(type(self)).items()
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_row` returned, or the text of it in a CSV file.

        Raises
        ------
        ValueError
            If a cell is missing or unreadable.
        """
        try:
            return cls(**{name: each.read(row[name]) for name, each in cells_of(cls).items()})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"row: no game of {cls.kind}: {error}") from None


@dataclass(frozen=True)
class Cell:
    """How one field of a game is stored."""

    column: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


CELLS: dict[type[Game], dict[str, Cell]] = {}


def cells_of(game: type[Game]) -> dict[str, Cell]:
    """Return how the fields of a class of games are stored, by field, in order."""
    if game not in CELLS:
        types = get_type_hints(game)
        CELLS[game] = {
            each.name: Cell(
                each.metadata.get("column") or each.name,
                each.metadata.get("write") or types[each.name],
                each.metadata.get("read") or types[each.name],
            )
            for each in dataclasses.fields(game)
        }
    return CELLS[game]


class Agent(ABC):
    """A policy for some game. Subclasses are frozen dataclasses whose fields are the parameters.

    Attributes
    ----------
    name : str
        In the catalog, in stored games and on the command line.
    """

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check the parameters; ValueError names the one that is not allowed."""
        check_parameters(self)

    @property
    def built_for(self) -> Hashable:
        """What its kernels are compiled for, beside its class: a parameter's type, say."""
        return None

    @abstractmethod
    def warm_up(self) -> None:
        """Call each kernel once, so that it is compiled. See :func:`warm`."""

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


def identity(agent: Agent) -> dict[str, Value]:
    """Return what tells an agent from all others: its name and its parameters."""
    return {"agent": agent.name or type(agent).__qualname__, **plain_values(agent)}


def digest_of(agent: Agent) -> str:
    """Return twelve hexadecimal digits that stand for an agent's :func:`identity` in tables of games."""
    text = json.dumps(identity(agent), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:N_DIGITS]


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
