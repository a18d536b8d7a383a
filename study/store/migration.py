"""Studies of before: their games are attributes, and move to the table when they are written again.

All of it is one transaction, so a kill leaves the study as it was or as it will be. Then its
record's format is 2, which earlier versions refuse.
"""

import json
from collections.abc import Mapping

from sqlalchemy import Connection, Engine, bindparam, delete, select

from thetafront.study.store.games_table import GAMES, KEY, SEARCH, VALIDATION
from thetafront.study.store.study_data import StudyData
from thetafront.study.store.study_record import ATTRIBUTE, FORMAT
from thetafront.study.store.trial_games import GAME_PREFIX, MOMENTS_PREFIX
from thetafront.study.store.upsert import Row, write_rows
from thetafront.study.store.validated_points import GAME_PREFIX as VALIDATION_PREFIX
from thetafront.study.store.writes import ATTRIBUTES, OF_STUDY, TRIALS

OF_TRIAL = ATTRIBUTES.c.trial_user_attribute_id
OF_STUDYS = OF_STUDY.c.study_user_attribute_id


def migrate(engine: Engine, study_id: int, data: StudyData) -> int:
    """Move a study's games from its attributes to the table; return how many there were.

    Parameters
    ----------
    engine : Engine
        Of the database, which has the table.
    study_id : int
        The study's; no other process may write it.
    data : StudyData
        The study as it is: whatever is damaged has been refused by reading it.
    """
    with engine.begin() as connection:
        record = data.attributes[ATTRIBUTE]
        found = {
            OF_TRIAL: of_trials(connection, study_id),
            OF_STUDYS: of_points(connection, study_id),
        }
        n_games = sum(map(len, found.values()))
        if not n_games and record.get("format") == FORMAT:
            return 0
        for column, games in found.items():
            rows = [{"study_id": study_id, **row} for row in games.values()]
            write_rows(connection, GAMES, KEY, rows)
            if moved := [{"row": row} for row in games]:
                connection.execute(delete(column.table).where(column == bindparam("row")), moved)
        store_moments(connection, study_id, data)
        new = json.dumps({**record, "format": FORMAT})
        row = {"study_id": study_id, "key": ATTRIBUTE, "value_json": new}
        write_rows(connection, OF_STUDY, ("study_id", "key"), [row], ("value_json",))
        return n_games


def of_trials(connection: Connection, study_id: int) -> dict[int, Row]:
    """Return the games among attributes of trials, by the attribute's row."""
    found = connection.execute(
        select(OF_TRIAL, TRIALS.c.number, ATTRIBUTES.c.key, ATTRIBUTES.c.value_json)
        .join(TRIALS, TRIALS.c.trial_id == ATTRIBUTES.c.trial_id)
        .where(TRIALS.c.study_id == study_id, ATTRIBUTES.c.key.startswith(GAME_PREFIX))
        .order_by(OF_TRIAL)
    )
    return {
        row: game_row(SEARCH, str(number), key.removeprefix(GAME_PREFIX), record)
        for row, number, key, record in found
        if key.startswith(GAME_PREFIX)  # SQLite takes capitals for the same letters
    }


def of_points(connection: Connection, study_id: int) -> dict[int, Row]:
    """Return the games among attributes of the study, by the attribute's row."""
    found = connection.execute(
        select(OF_STUDYS, OF_STUDY.c.key, OF_STUDY.c.value_json)
        .where(OF_STUDY.c.study_id == study_id, OF_STUDY.c.key.startswith(VALIDATION_PREFIX))
        .order_by(OF_STUDYS)
    )
    return {
        row: game_row(VALIDATION, *halves(key.removeprefix(VALIDATION_PREFIX)), record)
        for row, key, record in found
        if key.startswith(VALIDATION_PREFIX)
    }


def halves(name: str) -> tuple[str, str]:
    """Return the key of a point and the replicate in the name of a game."""
    key, _, replicate = name.partition(":")
    return key, replicate


def game_row(phase: str, unit: str, replicate: str, record: str) -> Row:
    """Return a game's row of the table, without its study."""
    return {
        "phase": phase,
        "unit": unit,
        "replicate": int(replicate),
        "machine": None,
        "record": record,
    }


def store_moments(connection: Connection, study_id: int, data: StudyData) -> None:
    """Store the moments of trials that lack them: samplers know a trial by its attributes."""
    name = MOMENTS_PREFIX + data.experiment.goal.name
    lacking: Mapping[int, list[float]] = {
        trial.number: list(data.moments[trial.number])
        for trial in data.frozen_trials
        if trial.state.is_finished() and trial.values and name not in trial.user_attrs
    }
    if not lacking:
        return
    numbered = select(TRIALS.c.number, TRIALS.c.trial_id).where(TRIALS.c.study_id == study_id)
    rows: list[Row] = [
        {"trial_id": row, "key": name, "value_json": json.dumps(lacking[number])}
        for number, row in connection.execute(numbered)
        if number in lacking
    ]
    write_rows(connection, ATTRIBUTES, ("trial_id", "key"), rows)
