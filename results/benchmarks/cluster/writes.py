"""Durable writes: games a second, the oldest's wait, and CPU a game, in a given storage.

Games come as a search brings them: a trial begins, its games end one by one, the trial ends. Once
as fast as the writer takes them, once at a steady pace.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.log.database import open_engine
from thetafront.study.log.location import Location
from thetafront.study.log.log import Log, Rows, game_row, point_row
from thetafront.study.log.tables import SEARCH, StudyRow, sealed
from thetafront.study.log.writer import StudyWriter, Write

GAMES_A_TRIAL = 4
N_PARAMS = 6
PACE = 3000.0
"""Games a second that are demanded."""
GAME = Game2048(5, 80504, 3740, 0.5859351590000005, 712444822, 4096, 0x25B237A3C6894321)
PARAMS = {f"theta{k}": 500.0 for k in range(1, N_PARAMS + 1)}


@dataclass(frozen=True)
class WriteRate:
    """What writing took.

    Attributes
    ----------
    n_games : int
        Games written, durably.
    wall_seconds, cpu_seconds : float
        Of all threads of this process.
    waits : ndarray of shape (n_transactions,)
        Seconds from the oldest write of each transaction to its commit.
    """

    n_games: int
    wall_seconds: float
    cpu_seconds: float
    waits: "np.ndarray[tuple[int], np.dtype[np.float64]]"

    @property
    def games_per_second(self) -> float:
        """Games a second of wall time."""
        return self.n_games / self.wall_seconds

    @property
    def cpu_ms_a_game(self) -> float:
        """CPU milliseconds a game, its share of the trial included."""
        return 1e3 * self.cpu_seconds / self.n_games

    @property
    def core(self) -> float:
        """Share of a core that writing took."""
        return self.cpu_seconds / self.wall_seconds


def trial_writes(number: int) -> Iterator[Write]:
    """Return what a search writes of a trial, one after the other."""
    yield point_row(SEARCH, number, PARAMS, "nehvi", GAMES_A_TRIAL)
    for replicate in range(GAMES_A_TRIAL):
        yield game_row((SEARCH, number), replicate, GAME, "znver4")


def measure(location: Location, seconds: float, pace: float | None = None) -> WriteRate:
    """Write games into a new study for some seconds.

    Parameters
    ----------
    location : Location
        Where to; its name must not be taken.
    seconds : float
        How long.
    pace : float, optional
        Games a second; as fast as possible if None.
    """
    engine = open_engine(location, for_writing=True)
    log = Log.create(engine, Rows(sealed(StudyRow(location.name, "{}"))))
    rate = written(log, seconds, pace)
    engine.dispose()
    return rate


def written(log: Log, seconds: float, pace: float | None) -> WriteRate:
    """Write games into a log for some seconds."""
    waits: list[float] = []
    writer = StudyWriter(log, watch=lambda _, waited: waits.append(waited))
    n_trials, began, cpu = 0, time.monotonic(), time.process_time()
    while (now := time.monotonic() - began) < seconds:
        if pace is not None and (ahead := n_trials * GAMES_A_TRIAL / pace - now) > 0.0:
            time.sleep(ahead)
        for write in trial_writes(n_trials):
            writer.write(write)
        n_trials += 1
    writer.close()
    return WriteRate(
        n_games=n_trials * GAMES_A_TRIAL,
        wall_seconds=time.monotonic() - began,
        cpu_seconds=time.process_time() - cpu,
        waits=np.array(waits),
    )
