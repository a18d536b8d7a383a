"""Agents of all games, and the records of the games that they play.

Times in seconds are CPU times of the thread that decides. They exclude compilation: the agent's
kernels are compiled, or loaded from the cache, before the clock starts.
"""

import dataclasses
import hashlib
import inspect
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, get_type_hints

from thetafront.agents.parameters import Value, check_parameters, declared_parameters, plain_values

MAX_SEED = 2**63 - 1
N_DIGITS = 12


class Cell(NamedTuple):
    """How one field of a game is stored: its column, and how its value is written and read."""

    column: str = ""
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None


def column(
    name: str = "",
    write: Callable[[Any], Any] | None = None,
    read: Callable[[Any], Any] | None = None,
) -> Any:
    """Declare how a field of a :class:`Game` is stored in a row.

    Parameters
    ----------
    name : str
        The column's name, with its unit; by default the field's name.
    write, read : callable, optional
        ``write`` converts the value to JSON data. ``read`` converts this data, or its text in a CSV
        file, back to the value. The default of both is the field's type, such as ``int``.
    """
    return dataclasses.field(metadata={"cell": Cell(name, write, read)})


CELLS: dict[type["Game"], dict[str, Any]] = {}


def declared_cells(game: type["Game"]) -> dict[str, Any]:
    """Return the :class:`Cell` of each field of a subclass of :class:`Game`, in order."""
    if game not in CELLS:
        types = get_type_hints(game)
        given = {x.name: x.metadata.get("cell", Cell()) for x in dataclasses.fields(game)}
        CELLS[game] = {
            name: Cell(each.column or name, each.write or types[name], each.read or types[name])
            for name, each in given.items()
        }
    return CELLS[game]


@dataclass(frozen=True)
class Game:
    """One finished game. Each kind of game has a subclass: ``class CoinGame(Game, kind="coin")``.

    Attributes
    ----------
    seed : int
        The same agent and seed give the same game except for ``seconds``.
    score : int or float
        In points.
    n_moves : int
        Number of actions, at least one.
    seconds : float
        CPU seconds of the deciding thread for all moves together.
    kind : str
        Name of the subclass in stored records.
    kinds : dict of str to type
        All subclasses by ``kind``.
    is_timed : bool
        Whether ``seconds`` is the time of the game when played alone. Costs are computed only from
        such games.
    has_ended : bool
        Whether the game was played to its end. If not, it has no cost.
    """

    seed: int
    score: float = column("score_points")
    n_moves: int = column()
    seconds: float = column("cpu_seconds")

    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, type["Game"]]] = {}
    is_timed: ClassVar[bool] = True
    has_ended: ClassVar[bool] = True

    def __init_subclass__(cls, *, kind: str) -> None:
        super().__init_subclass__()
        cls.kind = kind
        Game.kinds[kind] = cls

    @property
    def is_possible(self) -> bool:
        """Whether a game can have these values. This is checked after reading a file."""
        counts = [value for value in dataclasses.astuple(self) if isinstance(value, int | float)]
        return (
            all(map(math.isfinite, counts)) and min(self.seed, self.n_moves - 1, self.seconds) >= 0
        )

    @property
    def seconds_per_move(self) -> float | None:
        """CPU seconds per move; None if the game was not played alone."""
        return self.seconds / self.n_moves if self.is_timed else None

    @property
    def played_with(self) -> range:
        """Seeds of this game and of the games that were played side by side with it."""
        return range(self.seed, self.seed + 1)

    @classmethod
    def columns(cls) -> dict[str, str]:
        """Return the column of each field, in order."""
        return {name: each.column for name, each in declared_cells(cls).items()}

    def to_row(self) -> dict[str, Any]:
        """Return the game as a mapping from field names to JSON data."""
        return {
            name: each.write(getattr(self, name))
            for name, each in declared_cells(type(self)).items()
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Read a game from the result of :meth:`to_row`, or from the texts of a row in a CSV file.

        Raises
        ------
        ValueError
            If a value of the row is missing or unreadable.
        """
        try:
            return cls(**{name: each.read(row[name]) for name, each in declared_cells(cls).items()})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"row: not a game of {cls.kind}: {error}") from None


@dataclass(frozen=True)
class FailedGame:
    """A game in which the agent failed before the end. It counts as the result of θ with this seed.

    Attributes
    ----------
    seed : int
        The game's seed.
    error : str
        Why the agent failed, in one line.
    """

    seed: int
    error: str

    kind: ClassVar[str] = "failed"
    is_possible: ClassVar[bool] = True

    def to_row(self) -> dict[str, Any]:
        """Return the failed game as a mapping from field names to JSON data."""
        return dataclasses.asdict(self)


Outcome = Game | FailedGame
"""The result of playing with one seed."""


class Agent(ABC):
    """A policy for a game. Subclasses are frozen dataclasses, and their fields are the parameters.

    Attributes
    ----------
    name : str
        Name in the catalog, in stored games and on the command line.
    is_random : bool
        Whether the agent's games depend on the seed.
    n_side_by_side : int
        How many games are best played side by side; 1 if playing several at once saves no time.
    learns : bool
        Whether the agent learns before its first game, which may take minutes. If it does, all
        games of one θ are best played in one process, so that it learns only once.
    is_ours : bool
        Whether the agent's code belongs to this project. If it does, a game that kills its process
        does not count against θ.
    """

    name: ClassVar[str] = ""
    is_random: ClassVar[bool] = True
    n_side_by_side: ClassVar[int] = 1
    learns: ClassVar[bool] = False
    is_ours: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise ValueError, which names the parameter, if a value is not allowed."""
        check_parameters(self)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields, but not the cached properties, which may be large.

        Besides, unpickling makes read-only arrays writable, and numba treats writable arrays as
        another type.
        """
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}  # type: ignore[arg-type]

    @property
    def built_for(self) -> Hashable:
        """What determines the agent's kernels besides its class, for example a rule of the game."""
        return None

    @property
    def depends_on(self) -> Mapping[str, Value]:
        """What determines the agent's games besides its parameters, such as a file's digest."""
        return {}

    @abstractmethod
    def warm_up(self) -> None:
        """Call each kernel of :meth:`play` once to compile it. See :func:`warm`."""

    @abstractmethod
    def play(self, seed: int) -> Game:
        """Play one game from start to end.

        Parameters
        ----------
        seed : int
            From 0 to 2⁶³ − 1. It determines every random number of the game.

        Returns
        -------
        Game
            The finished game. The same agent and seed give the same game except for ``seconds``.

        Raises
        ------
        ValueError
            If the seed is out of range.
        """

    def play_side_by_side(self, seeds: Sequence[int]) -> tuple[Game, ...]:
        """Play games with consecutive seeds side by side, which may save time.

        Their scores have the same distribution as those of :meth:`play`. If ``n_side_by_side`` is
        1, the agent plays one game after the other. ValueError if a seed is out of range.
        """
        return tuple(self.play(seed) for seed in seeds)


AGENTS: dict[str, type[Agent]] = {}
"""The catalog: classes of agents by name, from all modules imported so far."""

AnAgent = TypeVar("AnAgent", bound=Agent)


def register(agent: type[AnAgent]) -> type[AnAgent]:
    """Put a class of agents into the catalog, and add its parameters to its docstring.

    ValueError if the class has no name, or the catalog has another class with this name.
    """
    if not agent.name:
        raise ValueError(f"agent: {agent.__qualname__} must have a name")
    known = AGENTS.setdefault(agent.name, agent)
    if (known.__module__, known.__qualname__) != (agent.__module__, agent.__qualname__):
        raise ValueError(f"agent {agent.name!r} is already the name of {known.__qualname__}")
    described = [
        f"{each.name} : {each.domain.allowed}\n    {each.description}"
        for each in declared_parameters(agent).values()
    ]
    text = inspect.cleandoc(agent.__doc__ or "")
    agent.__doc__ = "\n".join([text, "", "Parameters", "----------", *described])
    return agent


class GameError(Exception):
    """A game cannot be played because its agent fails, for example because a program crashes."""


class ChangedError(Exception):
    """An agent, or a file of it, has changed since the run began; this does not count against θ."""


def identity(agent: Agent) -> dict[str, Value]:
    """Return the name and parameters that distinguish an agent from all others.

    The parameters are numbers and text. A parameter that was added to the class after games had
    been stored is left out while it has its default value.
    """
    known = declared_parameters(type(agent))
    values = {
        name: value
        for name, value in plain_values(agent).items()
        if not (known[name].later and value == known[name].domain.plain(known[name].default))
    }
    return {"agent": agent.name or type(agent).__qualname__, **values, **agent.depends_on}


def agent_digest(agent: Agent) -> str:
    """Return a digest of an agent's :func:`identity`, which identifies it in tables of games."""
    return digits(json.dumps(identity(agent), sort_keys=True))


def digits(content: str | bytes | memoryview) -> str:
    """Return the first twelve hexadecimal digits of the SHA-256 of a text or bytes."""
    given = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(given).hexdigest()[:N_DIGITS]


WARM: set[tuple[type[Agent], Hashable]] = set()
"""Pairs of an agent's class and ``built_for`` whose kernels are compiled in this process."""


def warm(agent: Agent) -> None:
    """Compile an agent's kernels, or load them from the cache, before any time is measured."""
    built = (type(agent), agent.built_for)
    if built not in WARM:
        agent.warm_up()
        WARM.add(built)


def check_seed(seed: int) -> None:
    """Raise ValueError if a game's seed is out of range."""
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must be between 0 and 2**63 - 1 (got {seed})")
