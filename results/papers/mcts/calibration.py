"""The number of simulations at which widening takes the plain agent's time, calibration by timing.

Notation
--------
===========  =======================================================================================
m            simulations a decision
T(m)         CPU seconds of a decision, relative to the plain agent's in the same round
===========  =======================================================================================

Both agents decide, in turns, on the boards of one game of the plain agent, evenly from its start to
its end. T is nearly proportional to m near the solution, so each round suggests m / T(m). A first
step, at the plain agent's m, brings the next ones close; m is the median of their rounds'
suggestions, with its 95% interval. No game's score is used.

``calibration.csv`` is written after each setting. A later run takes its m from there, so that
existing games stay valid.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import thetafront
from results.papers.mcts.design import Case, Widened, Widening
from results.papers.mcts.timing import Clock, DecisionTimer, Timed, median
from thetafront.agents.agent import warm
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.study.estimate import Estimate

COLUMNS = [
    *("leaf_value", "plain_n_simulations", "widened", "k", "alpha", "n_simulations"),
    *("relative_time", "relative_time_low95", "relative_time_high95"),
]
N_BOARDS = 60
EARLIER_COLUMNS = {"k_state": "k", "alpha_state": "alpha"}  # when only states were widened
BOARDS_SEED = 2**62  # of no counted game
N_STEPS = 3
MOST_SIMULATIONS = 100_000

Calibration = dict[Widening, tuple[int, Estimate]]
"""By setting: m, and T(m) with its 95% interval; T(m) differs from 1 because m is rounded."""


def boards_of_game(agent: UCT) -> list[int]:
    """Return boards evenly from the start to the end of one game of an agent."""
    boards = [move.board for move in agent.moves(BOARDS_SEED)]
    places = np.linspace(0, len(boards) - 1, N_BOARDS).round().astype(int)
    return [boards[place] for place in places]


def relative_times(
    timer: DecisionTimer, agent: Timed, plain: Timed, n_rounds: int
) -> npt.NDArray[np.float64]:
    """Time an agent and the plain one in turns; return T by round, after a warm-up round."""
    ratios = []
    for number in range(n_rounds + 1):
        turns = (agent, plain) if number % 2 else (plain, agent)
        first, second = (timer.round(each, number)[0] for each in turns)
        ratios.append(first / second if number % 2 else second / first)
    return np.array(ratios[1:])


def nearest_whole(n_simulations: float) -> int:
    """Return the nearest allowed m."""
    return min(max(1, round(n_simulations)), MOST_SIMULATIONS)


def calibrate(setting: Widening, timer: DecisionTimer, n_rounds: int) -> tuple[int, Estimate]:
    """Choose a setting's m such that a decision takes the plain agent's time; return m and T(m)."""
    plain = setting.case.agent
    m = setting.case.n_simulations
    suggested: list[npt.NDArray[np.float64]] = []
    for step in range(N_STEPS):
        now = m / relative_times(timer, setting.agent(m), plain, n_rounds)
        if step:
            suggested.append(now)
        m = nearest_whole(float(np.median(now)))
    sought = median(np.concatenate(suggested))
    m = nearest_whole(sought.value)
    return m, Estimate(m / sought.value, m / sought.high, m / sought.low)


def read_calibration(path: Path) -> Calibration:
    """Read an earlier run's calibration, empty without a file; InputError if it is none."""
    if not path.exists():
        return {}
    calibration: Calibration = {}
    try:
        frame = pd.read_csv(path).rename(columns=EARLIER_COLUMNS)
        if "widened" not in frame:
            frame["widened"] = Widened.STATES.value
        for words in frame[COLUMNS].itertuples(index=False):
            leaf_value, plain_m, widened, k, alpha, m, *relative = words
            numbers = [float(each) for each in (k, alpha, *relative)]
            if not (1 <= int(m) <= MOST_SIMULATIONS and all(map(math.isfinite, numbers))):
                raise ValueError("numbers out of range")
            case = Case(LeafValue(leaf_value), int(plain_m))
            setting = Widening(case, Widened(widened), numbers[0], numbers[1])
            calibration[setting] = int(m), Estimate(*numbers[2:])
    except (OSError, ValueError, KeyError, pd.errors.ParserError):
        raise thetafront.InputError(
            f"{path}: no calibration of this version; use another folder, or move it away"
        ) from None
    return calibration


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration."""
    lines = []
    for setting, (m, relative) in calibration.items():
        case = setting.case
        which = (setting.widened.value, setting.k, setting.alpha)
        times = (relative.value, relative.low, relative.high)
        lines.append((case.leaf_value.value, case.n_simulations, *which, m, *times))
    pd.DataFrame(lines, columns=COLUMNS).to_csv(path, index=False)


def calibrated(
    settings: Sequence[Widening], path: Path, n_rounds: int, clock: Clock = time.thread_time
) -> Calibration:
    """Return each setting's m: from the file, or else by timing, which is added to the file."""
    calibration = read_calibration(path)
    warm(UCT())
    boards: dict[Case, list[int]] = {}
    for setting in settings:
        if setting in calibration:
            continue
        case = setting.case
        if case not in boards:
            boards[case] = boards_of_game(case.agent)
        calibration[setting] = calibrate(setting, DecisionTimer(boards[case], clock), n_rounds)
        write_calibration(calibration, path)
    return {setting: calibration[setting] for setting in settings}
