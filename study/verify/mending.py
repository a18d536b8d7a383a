"""Changes of a study's rows, collected first and then made in one transaction."""

import json
from typing import Any

from sqlalchemy import Engine, text

from thetafront.agents.agent import Outcome
from thetafront.study.store.cell import Cell
from thetafront.study.store.games_table import GAMES, Unit
from thetafront.study.store.seeds import game_to_record

KEYS = {
    GAMES.name: "game_id",
    "trials": "trial_id",
    "trial_params": "param_id",
    "trial_system_attributes": "trial_system_attribute_id",
    "trial_user_attributes": "trial_user_attribute_id",
    "trial_values": "trial_value_id",
    "study_system_attributes": "study_system_attribute_id",
    "study_user_attributes": "study_user_attribute_id",
}
"""The tables of a study, and the column that names their rows."""
CHILDREN = ("trial_params", "trial_system_attributes", "trial_user_attributes", "trial_values")


class Mending:
    """Statements that mend a study's rows."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, dict[str, Any]]] = []

    def set(self, table: str, row: int, **values: Any) -> None:
        """Change values of a row."""
        columns = ", ".join(f"{name} = :{name}" for name in values)
        self.statements.append(
            (f"UPDATE {table} SET {columns} WHERE {KEYS[table]} = :row", {**values, "row": row})
        )

    def insert(self, table: str, **values: Any) -> None:
        """Add a row."""
        columns, places = ", ".join(values), ", ".join(f":{name}" for name in values)
        self.statements.append((f"INSERT INTO {table} ({columns}) VALUES ({places})", values))

    def delete(self, cell: Cell) -> None:
        """Delete the row of a cell."""
        self.delete_rows(cell.table, KEYS[cell.table], cell.row)

    def delete_rows(self, table: str, column: str, value: Any) -> None:
        """Delete the rows of a table that have a value."""
        self.statements.append((f"DELETE FROM {table} WHERE {column} = :value", {"value": value}))

    def attribute(self, cell: Cell | None, table: str, owner: int, key: str, value: Any) -> None:
        """Write an attribute of a trial or study, into its row or a new one."""
        stored = json.dumps(value)
        if cell is not None:
            self.set(table, cell.row, value_json=stored)
            return
        of = "study_id" if table.startswith("study") else "trial_id"
        self.insert(table, **{of: owner, "key": key, "value_json": stored})

    def game(
        self, cell: Cell | None, study: int, unit: Unit, replicate: int, game: Outcome
    ) -> None:
        """Write a game into its row, or a new one of the table of games."""
        record = json.dumps(game_to_record(game))
        if cell is not None:
            column = "record" if cell.table == GAMES.name else "value_json"
            self.set(cell.table, cell.row, **{column: record})
            return
        phase, of = unit
        row = {"study_id": study, "phase": phase, "unit": of, "replicate": replicate}
        self.insert(GAMES.name, **row, record=record)

    def make(self, engine: Engine) -> None:
        """Make all changes, or none."""
        with engine.begin() as connection:
            GAMES.create(connection, checkfirst=True)
            for sql, values in self.statements:
                connection.execute(text(sql), values)
