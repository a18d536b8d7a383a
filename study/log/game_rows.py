"""Writes a game as a row of a study's ``games.csv``, and reads it back.

All games of users' agents have the same class, so their columns depend on the experiment, not on
the class. The score's column is named after the goal. If games have no moves, there is no column
for moves. Each field that a game reported has a column with the name of the field. If another
column has that name already, the field's column is called ``reported_…``. So that no two fields
share a column, a field that is itself called ``reported_`` and such a name gets one more prefix.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.agents.external.report import MAX_NUMBER, ReportedGame
from thetafront.study.experiments.definition import Experiment

LABELS = ("phase", "trial", "point", "origin", "replicate")
MOVES, SECONDS_A_MOVE = "n_moves", "seconds_per_move"
FAILED_WITH = "failed_with"
"""Column with the reason why a game failed. An objective may already be called ``error``."""
REPORTED, PREFIX = "reported", "reported_"


def is_reported(experiment: Experiment) -> bool:
    """Return whether an experiment's games are played by a user's agent."""
    return issubclass(experiment.summary.game, ReportedGame)


def cells_of_game(game: Outcome, experiment: Experiment) -> dict[str, Any]:
    """Return a game's cells by column, except the :data:`LABELS`."""
    if isinstance(game, FailedGame):
        # A table has one line per game, but earlier versions stored errors of several lines.
        return {"seed": game.seed, FAILED_WITH: " ".join(game.error.split())}
    stored = game.to_row()
    row = {column: stored[name] for name, column in columns_by_field(experiment, game)}
    if experiment.summary.has_moves:
        row[SECONDS_A_MOVE] = game.seconds_per_move
    if not isinstance(game, ReportedGame):
        return row
    columns = field_columns(game.reported, experiment)
    return row | {columns[name]: value for name, value in game.reported.items()}


def columns_by_field(experiment: Experiment, game: type[Game] | Game) -> list[tuple[str, str]]:
    """Return each field that all games of a class have, and the field's column."""
    if not is_reported(experiment):
        return list(game.columns().items())
    columns = ReportedGame.columns() | {"score": experiment.goal.game_column}
    left_out = {REPORTED} if experiment.summary.has_moves else {REPORTED, MOVES}
    return [(name, column) for name, column in columns.items() if name not in left_out]


def own_columns(experiment: Experiment) -> list[str]:
    """Return the columns that all games of an experiment have."""
    columns = [column for _, column in columns_by_field(experiment, experiment.summary.game)]
    common = columns if is_reported(experiment) else list(Game.columns().values())
    moves = [SECONDS_A_MOVE] if experiment.summary.has_moves else []
    return [*common, *moves, *(each for each in columns if each not in common)]


def field_columns(fields: Iterable[str], experiment: Experiment) -> dict[str, str]:
    """Return the column of each reported field."""
    taken = {*LABELS, *own_columns(experiment), FAILED_WITH}
    return {name: f"{PREFIX}{name}" if ending(name) in taken else name for name in fields}


def ending(name: str) -> str:
    """Return a name without the prefixes of reported fields."""
    return re.sub(f"^({PREFIX})+", "", name)


def outcome_in(cells: Mapping[str, str], experiment: Experiment) -> Outcome:
    """Return a row's game; ValueError, KeyError or OverflowError if the row is invalid."""
    if error := cells.get(FAILED_WITH):
        return FailedGame(int(cells["seed"]), error)
    return kind_of_row(cells, experiment).from_row(fields_in(cells, experiment))


def kind_of_row(cells: Mapping[str, str], experiment: Experiment) -> type[Game]:
    """Return the class of a row's game; games played side by side have more columns."""
    base = experiment.summary.game
    kinds = [each for each in Game.kinds.values() if issubclass(each, base)]
    return [base, *(each for each in kinds if all(map(cells.get, each.columns().values())))][-1]


def fields_in(cells: Mapping[str, str], experiment: Experiment) -> dict[str, Any]:
    """Return the fields of a row's game; without a column for moves, the game has one move."""
    if not is_reported(experiment):
        columns = kind_of_row(cells, experiment).columns()
        return {name: cells[column] for name, column in columns.items() if column in cells}
    known = columns_by_field(experiment, ReportedGame)
    fields: dict[str, Any] = {MOVES: 1}
    fields |= {name: cells[column] for name, column in known if column in cells}
    taken = {*LABELS, *own_columns(experiment), FAILED_WITH}
    return fields | {
        REPORTED: {
            column.removeprefix(PREFIX) if ending(column) in taken else column: value
            for column, text in cells.items()
            if column not in taken and (value := number_or_text(text)) != ""
        }
    }


def number_or_text(text: str) -> float | str:
    """Return the number in a cell, or the cell's text if Python would write it differently."""
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        if str(number) == text and abs(number) <= MAX_NUMBER:
            return number
    return text
