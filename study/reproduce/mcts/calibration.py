"""How many simulations widening may take in the plain agent's time: chosen once, by timing, and kept.

Notation
--------
===========  =======================================================================================
m            simulations a decision
T(m)         CPU seconds of a decision, by the plain agent's in the same round
===========  =======================================================================================

Both decide on the boards of one game of the plain agent, evenly from its start to its end, in alternation. Near the
m that is sought T is all but proportional to m, so each round names it: m / T(m). A first step, at the plain agent's
m, brings the next near to it; of the rounds of the steps after that the median is taken, with its 95% interval. No
game's score is looked at.

What was chosen is in ``calibration.csv``, written as soon as a setting is done. A later run takes it from there, so
that the games which are there already stay its games.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from agents.agent import warm
from agents.twenty48.leaf_value import LeafValue
from agents.twenty48.uct import UCT
from study.errors import InputError
from study.estimate import Estimate
from study.report.tables import write_csv
from study.reproduce.mcts.design import Case, Setting
from study.reproduce.mcts.timing import Clock, Stopwatch, Timed, median

COLUMNS = (
    "leaf_value",
    "plain_n_simulations",
    "k_state",
    "alpha_state",
    "n_simulations",
    "relative_time",
    "relative_time_low95",
    "relative_time_high95",
)
N_BOARDS = 60
BOARDS_SEED = 2**62  # of no game that counts
N_STEPS = 3
MOST_SIMULATIONS = 100_000

Chosen = dict[Setting, tuple[int, Estimate]]
"""By setting: m, and T(m) with its 95% interval; what is left of 1 is rounding of m to a whole number."""


def boards_of_game(agent: UCT) -> list[int]:
    """Return boards of one game of an agent, evenly from its start to its end."""
    boards = [move.board for move in agent.moves(BOARDS_SEED)]
    places = np.linspace(0, len(boards) - 1, N_BOARDS).round().astype(int)
    return [boards[place] for place in places]


def relative_times(
    stopwatch: Stopwatch, agent: Timed, plain: Timed, n_rounds: int
) -> npt.NDArray[np.float64]:
    """Time an agent and the plain one in alternation; return T by round, after one that does not count."""
    ratios = []
    for number in range(n_rounds + 1):
        if number % 2:
            mine, _ = stopwatch.round(agent, number)
            other, _ = stopwatch.round(plain, number)
        else:
            other, _ = stopwatch.round(plain, number)
            mine, _ = stopwatch.round(agent, number)
        ratios.append(mine / other)
    return np.array(ratios[1:])


def nearest_whole(n_simulations: float) -> int:
    """Return an allowed m."""
    return min(max(1, round(n_simulations)), MOST_SIMULATIONS)


def calibrate(setting: Setting, stopwatch: Stopwatch, n_rounds: int) -> tuple[int, Estimate]:
    """Choose m of a setting, so that a decision takes as long as the plain agent's.

    Parameters
    ----------
    setting : Setting
        Whose m.
    stopwatch : Stopwatch
        With the boards to decide on.
    n_rounds : int
        Of each step.

    Returns
    -------
    n_simulations : int
        m.
    relative : Estimate
        T(m), with its 95% interval.
    """
    plain = setting.case.agent
    m = setting.case.n_simulations
    named: list[npt.NDArray[np.float64]] = []
    for step in range(N_STEPS):
        now = m / relative_times(stopwatch, setting.agent(m), plain, n_rounds)
        if step:
            named.append(now)
        m = nearest_whole(float(np.median(now)))
    sought = median(np.concatenate(named))
    m = nearest_whole(sought.value)
    return m, Estimate(m / sought.value, m / sought.high, m / sought.low)


def read_calibration(path: Path) -> Chosen:
    """Read what an earlier run chose; nothing if there is no file.

    Raises
    ------
    InputError
        If the file is no such table.
    """
    if not path.exists():
        return {}
    chosen: Chosen = {}
    try:
        frame = pd.read_csv(path)
        for words in frame[list(COLUMNS)].itertuples(index=False):
            leaf_value, plain_m, k, alpha, m, *relative = words
            numbers = [float(each) for each in (k, alpha, *relative)]
            if not (1 <= int(m) <= MOST_SIMULATIONS and all(map(math.isfinite, numbers))):
                raise ValueError("numbers that no setting has")
            setting = Setting(Case(LeafValue(leaf_value), int(plain_m)), numbers[0], numbers[1])
            chosen[setting] = int(m), Estimate(*numbers[2:])
    except (OSError, ValueError, KeyError, pd.errors.ParserError):
        raise InputError(
            f"{path}: no calibration of this version; use another folder, or move it away"
        ) from None
    return chosen


def write_calibration(chosen: Chosen, path: Path) -> None:
    """Write all that is chosen so far."""
    lines = [
        (
            setting.case.leaf_value.value,
            setting.case.n_simulations,
            setting.k_state,
            setting.alpha_state,
            m,
            relative.value,
            relative.low,
            relative.high,
        )
        for setting, (m, relative) in chosen.items()
    ]
    write_csv(pd.DataFrame(lines, columns=list(COLUMNS)), path)


def calibrated(
    settings: Sequence[Setting], path: Path, n_rounds: int, clock: Clock = time.thread_time
) -> Chosen:
    """Return m of each setting: from the file if it is there, else by timing, and then put there.

    Parameters
    ----------
    settings : sequence of Setting
        All that are needed. Others in the file stay there.
    path : Path
        ``calibration.csv``.
    n_rounds : int
        How often a time is taken.
    clock : callable
        CPU seconds of this thread.

    Raises
    ------
    InputError
        If the file is no calibration.
    """
    chosen = read_calibration(path)
    warm(UCT())
    boards: dict[Case, list[int]] = {}
    for setting in settings:
        if setting in chosen:
            continue
        case = setting.case
        if case not in boards:
            boards[case] = boards_of_game(case.agent)
        chosen[setting] = calibrate(setting, Stopwatch(boards[case], clock), n_rounds)
        write_calibration(chosen, path)
    return {setting: chosen[setting] for setting in settings}
