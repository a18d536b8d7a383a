"""How busy workers are if a search has more of them: a simulation with recorded games.

Notation
--------
======  ============================================================================================
think   CPU seconds of a proposal; a separate thread computes one proposal after the other
begin   seconds in which the parent process writes a new trial
store   seconds in which the parent process writes a finished game
tell    seconds in which the parent process closes a trial
======  ============================================================================================

As in :mod:`study.run.dispatch` and :mod:`study.run.search`, the parent does one thing at a time. It
hands out games while fewer than three per worker are in flight, waits until a game ends or the
proposal is ready, stores the game, and closes the trial if all its games are stored. The simulation
takes the times of games and the four durations from a real study. A game's time is multiplied by
the search's ratio of wall-clock time in games to the games' own seconds. This ratio is large if a
game measures only a part of its work. The simulation ignores that the parent and the workers
compete for cores.
"""

import heapq
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

from thetafront.study.errors import InputError
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.sections import new_table
from thetafront.study.run.source import GameSource

WORKERS = (2, 8, 16, 64, 256)
GAMES_A_WORKER = 40  # of a simulated study: enough that its beginning and end matter little


@dataclass(frozen=True)
class Durations:
    """Seconds of the parent's work; see the module's notation."""

    think: float
    begin: float
    store: float
    tell: float


def simulate(
    trials: Sequence[Sequence[float]], jobs: int, durations: Durations
) -> tuple[float, float, float]:
    """Simulate a search; ``trials`` has a list of the games' seconds for each trial.

    Returns three shares between 0 and 1: the share of the workers' time that they spend in games,
    the share of the proposing thread's time that it spends on proposals, and the share of the
    parent's time that it spends on writing.
    """
    enough = max(jobs, len(trials[0]))
    free = [0.0] * jobs  # when each worker is free
    out: list[tuple[float, int]] = []  # games handed out: when they end, and their trial
    waiting: deque[tuple[int, float]] = deque()
    left = [len(games) for games in trials]
    now, first, last, thought, writing = 0.0, np.inf, 0.0, 0.0, 0.0
    asked, ready = 0, np.inf  # proposals begun, and when the current one is ready
    while True:
        while True:
            proposed = ready <= now
            if proposed:
                ready = np.inf
                waiting.extend((asked - 1, seconds) for seconds in trials[asked - 1])
            if np.isinf(ready) and asked < len(trials) and len(waiting) < enough:
                asked += 1
                ready = now + durations.think
                thought += durations.think
            if proposed:
                now += durations.begin
                writing += durations.begin
            if not waiting or len(out) >= GameSource.tasks_per_worker * jobs:
                break
            number, seconds = waiting.popleft()
            start = max(now, heapq.heappop(free))
            first, last = min(first, start), max(last, start + seconds)
            heapq.heappush(free, start + seconds)
            heapq.heappush(out, (start + seconds, number))
        if not out and np.isinf(ready):
            break
        now = max(now, min(out[0][0] if out else np.inf, ready))
        if out and out[0][0] <= now:
            _, number = heapq.heappop(out)
            left[number] -= 1
            spent = durations.store + (0.0 if left[number] else durations.tell)
            now += spent
            writing += spent
    busy = float(sum(sum(games) for games in trials))
    span = last - first
    return busy / (jobs * span), thought / now, writing / now


def measured_run(data: StudyData) -> Mapping[str, Any]:
    """Return the record of a study's last search that has proposed something."""
    for run in reversed(data.runs):
        if run.get("seconds_each", {}).get("think"):
            return dict(run)
    raise InputError(f"study: {data.name!r} has no finished search with measured durations")


def utilization_frame(data: StudyData) -> pd.DataFrame:
    """Simulate a study's search with more workers; its trials are drawn with replacement."""
    run = measured_run(data)
    durations = Durations(**run["seconds_each"])
    longer = run.get("wall_seconds_a_game_second", 1.0)  # missing in earlier versions
    recorded = [
        [longer * game.seconds for game in trial.games.values()] for trial in data.complete_trials
    ]
    rng = np.random.default_rng(0)
    rows = []
    for jobs in WORKERS:
        n_trials = max(64, GAMES_A_WORKER * jobs // len(recorded[0]))
        drawn = [recorded[k] for k in rng.integers(len(recorded), size=n_trials)]
        in_games, thinking, writing = simulate(drawn, jobs, durations)
        seconds_a_game = np.mean([seconds for games in drawn for seconds in games])
        rows.append(
            {
                "workers": jobs,
                "share_in_games": in_games,
                "share_thinking": thinking,
                "share_writing": writing,
                "games_per_second": in_games * jobs / seconds_a_game,
            }
        )
    return pd.DataFrame(rows)


def utilization_table(frame: pd.DataFrame) -> Table:
    """Lay out the shares and rates for a terminal."""
    headings = ("workers", "in games", "sampler busy", "writer busy", "games per second")
    table = new_table("Simulated search with more workers", headings, "rrrrr")
    for _, row in frame.iterrows():
        shares = (f"{row[f'share_{each}']:.1%}" for each in ("in_games", "thinking", "writing"))
        table.add_row(f"{row['workers']:.0f}", *shares, f"{row['games_per_second']:,.1f}")
    return table
