"""Durable writes: games per second, waits until the commit, and CPU time per game.

Games come as in a search: a trial begins, and its games end one by one. One measurement writes them
as fast as the writer accepts them; another writes them at a steady pace.
"""

import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.log.database import open_engine
from thetafront.study.log.location import locate, make_folder
from thetafront.study.log.log import Log, Rows, game_row, point_row
from thetafront.study.log.tables import SEARCH, StudyRow, delete_rows, sealed
from thetafront.study.log.writer import StudyWriter, Write

GAMES_A_TRIAL = 4
PACE = 3000.0  # games per second, at the steady pace
GAME = Game2048(5, 80504, 3740, 0.5859351590000005, 712444822, 4096, 0x25B237A3C6894321)
PARAMS = {f"theta{k}": 500.0 for k in range(1, 7)}


def trial_writes(number: int) -> Iterator[Write]:
    """Return what a search writes about a trial, in order."""
    yield point_row(SEARCH, number, PARAMS, "nehvi", GAMES_A_TRIAL)
    for replicate in range(GAMES_A_TRIAL):
        yield game_row((SEARCH, number), replicate, GAME, "znver4")


def write_rate(storage_url: str | None, seconds: float, pace: float | None) -> dict[str, Any]:
    """Write games into a new study for some seconds, then delete the study.

    The storage is a new SQLite file by default. ``pace`` is in games per second; without a pace,
    games are written as fast as possible.
    """
    waits: list[float] = []  # from the oldest write of each transaction to its commit
    with tempfile.TemporaryDirectory() as folder:
        where = locate(f"bench-{uuid.uuid4().hex[:12]}", Path(folder), storage_url)
        make_folder(where.folder)
        engine = open_engine(where, for_writing=True)
        log = Log.create(engine, Rows(sealed(StudyRow(where.name, "{}"))))
        writer = StudyWriter(log, watch=lambda _, waited: waits.append(waited))
        n_trials, began, cpu = 0, time.monotonic(), time.process_time()
        while (now := time.monotonic() - began) < seconds:
            if pace is not None and (ahead := n_trials * GAMES_A_TRIAL / pace - now) > 0.0:
                time.sleep(ahead)
            for write in trial_writes(n_trials):
                writer.write(write)
            n_trials += 1
        writer.close()
        wall, cpu = time.monotonic() - began, time.process_time() - cpu
        with engine.begin() as connection:
            delete_rows(connection, log.study)
        engine.dispose()
    n_games = n_trials * GAMES_A_TRIAL
    return {
        "storage": "PostgreSQL" if where.is_on_postgresql else "SQLite",
        "pace_games_per_second": pace,
        "n_games": n_games,
        "games_per_second": n_games / wall,
        "wait_seconds_95": float(np.quantile(waits, 0.95)),
        "wait_seconds_longest": max(waits),
        "cpu_ms_a_game": 1e3 * cpu / n_games,
    }
