"""The table of games, in the same database as optuna's own tables.

A game is a row: its study, its phase, what it is a game of (a trial's number or a validated point's
key), its replicate, the class of machines that played it, and its record as JSON. Optuna and its
dashboard know nothing of the table, so games cost them nothing. In studies of before, games are
attributes of trials and of the study; :mod:`study.store.migration` moves them here.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.storages import RDBStorage
from optuna.storages._rdb.models import BaseModel
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    delete,
    func,
    inspect,
    select,
)

from thetafront.study.errors import DamageError
from thetafront.study.store.cell import Cell
from thetafront.study.store.database import GAMES as GAMES_NAME
from thetafront.study.store.seeds import shortened

SEARCH, VALIDATION = "search", "validation"
STUDIES: Table = BaseModel.metadata.tables["studies"]
GAMES = Table(
    GAMES_NAME,
    MetaData(),
    Column("game_id", Integer, primary_key=True),
    Column("study_id", ForeignKey(STUDIES.c.study_id, ondelete="CASCADE"), nullable=False),
    Column("phase", String(16), nullable=False),
    Column("unit", String(64), nullable=False),
    Column("replicate", Integer, nullable=False),
    Column("machine", String(64)),
    Column("record", Text, nullable=False),
    UniqueConstraint("study_id", "phase", "unit", "replicate"),
)
KEY = ("study_id", "phase", "unit", "replicate")
"""What a game is named by; each is there once."""

Unit = tuple[str, str]
"""A phase, and a trial's number or a point's key."""


@dataclass(frozen=True)
class GameCell(Cell):
    """A game's record, and the class of machines that played it."""

    machine: Any = None

    @property
    def where(self) -> str:
        """Its place."""
        return f"game of row {self.row}"


Cells = Mapping[str, GameCell]
"""The games of one trial or point, by replicate as it is stored."""
NO_CELLS: Cells = {}


def has_table(connection: Connection) -> bool:
    """Return whether a database has the table; it lacks it if only studies of before are in it."""
    return inspect(connection).has_table(GAMES.name)


def games_in(connection: Connection, study_id: int) -> dict[Unit, dict[str, GameCell]]:
    """Read a study's games by one query, in the order in which they were written."""
    found: dict[Unit, dict[str, GameCell]] = {}
    if not has_table(connection):
        return found
    columns = [GAMES.c[name] for name in ("game_id", "phase", "unit", "replicate", "machine")]
    query = select(*columns, GAMES.c.record).where(GAMES.c.study_id == study_id)
    rows: Iterable[Any] = connection.execute(query.order_by(GAMES.c.game_id))
    for row, phase, unit, replicate, machine, record in rows:
        cell = GameCell(GAMES.name, row, record, machine)
        found.setdefault((str(phase), str(unit)), {})[str(replicate)] = cell
    return found


def engine_of(study: optuna.Study) -> Engine | None:
    """Return the engine of a study's database; None if it is in memory."""
    storage = study._storage
    backend = getattr(storage, "_backend", storage)
    return backend.engine if isinstance(backend, RDBStorage) else None


@dataclass(frozen=True)
class StoredGames:
    """The games of a study that are in the table.

    Attributes
    ----------
    cells : mapping
        By phase and unit, and by replicate.
    """

    cells: Mapping[Unit, Cells] = field(default_factory=dict)

    @classmethod
    def read(cls, study: optuna.Study) -> "StoredGames":
        """Read the games of a study as they are now."""
        if (engine := engine_of(study)) is None:
            return cls()
        with engine.connect() as connection:
            return cls(games_in(connection, study._study_id))

    def of_trial(self, number: int) -> Cells:
        """Return a trial's games."""
        return self.cells.get((SEARCH, str(number)), NO_CELLS)

    def of_point(self, key: str) -> Cells:
        """Return a validated point's games."""
        return self.cells.get((VALIDATION, key), NO_CELLS)

    def known(self, units: Collection[Unit], newest: int) -> "StoredGames":
        """Return the games of these trials and points, which were read before the games.

        Parameters
        ----------
        units : collection of Unit
            The study's trials and points.
        newest : int
            The newest game of before these were read. Newer ones may belong to trials that have
            begun since, and are left out.

        Raises
        ------
        DamageError
            If an older game is none of these.
        """
        for unit in self.cells.keys() - set(units):
            for replicate, cell in self.cells[unit].items():
                if cell.row <= newest:
                    raise DamageError(f"{no_owner(unit)}, replicate {replicate}")
        return StoredGames({unit: cells for unit, cells in self.cells.items() if unit in units})


def newest_game(study: optuna.Study) -> int:
    """Return the identifier of a study's newest game; 0 if there is none."""
    if (engine := engine_of(study)) is None:
        return 0
    with engine.connect() as connection:
        if not has_table(connection):
            return 0
        query = select(func.max(GAMES.c.game_id)).where(GAMES.c.study_id == study._study_id)
        return int(connection.scalar(query) or 0)


def delete_games(engine: Engine, study_id: int) -> None:
    """Delete all games of a study."""
    with engine.begin() as connection:
        connection.execute(delete(GAMES).where(GAMES.c.study_id == study_id))


def no_owner(unit: Unit) -> str:
    """Say that the study has nothing that such a game is of."""
    phase, of = unit
    owner = {SEARCH: "trial", VALIDATION: "point"}.get(phase)
    if owner is None:
        return f"a game of phase {shortened(phase)} given, {SEARCH} or {VALIDATION} expected"
    return f"a game of {owner} {shortened(of)} given, and there is no such {owner}"
