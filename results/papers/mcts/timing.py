"""CPU seconds of a decision, and the m at which two agents take the same time.

A decision with 100 simulations takes about 20 to 100 µs, and the call of compiled code from Python
takes about 10 µs more. In a *round*, an agent decides once on each of several boards. It then makes
the same number of calls on a board with one legal action, for which nothing is simulated. The time
of these calls is subtracted. The agents take turns in each round, and ratios are computed within
rounds, so that noise of the machine affects all agents alike. Each round begins with a new tree in
the memory of the previous tree. Without this, the placement of arrays in memory alone changed
times by a quarter at d = 1. The result is the median over rounds, with a 95% interval by
ranks.

Widening changes the time of a simulation. For each setting, we therefore choose the m at which a
decision takes as long as a decision of the plain agent. T(m) is the setting's time with m
simulations, divided by the plain agent's time. Both agents decide, in turns, on boards from the
start to the end of one game of the plain agent. T is nearly proportional to m near the m that is
sought, so a round with m simulations suggests m / T(m). The rounds are made in three steps. The
first step uses the plain agent's m, and each later step uses the median suggestion of the step
before it. The chosen m is the median suggestion of all steps but the first. No scores are used.

``timing_rounds.csv`` and ``calibration.csv`` store the measurements. A later run, perhaps on a busy
machine, does not measure again, so each m and the games played with it stay valid.
"""

import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from results.papers import paper
from results.papers.mcts.design import EXPLORATION, TITLES, WIDENED, Widening, widenings
from thetafront.agents.agent import warm
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.rng import PLAYOUT
from thetafront.engine.twenty48 import initial, stream
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

DEPTHS = tuple(range(1, 21))
TIMED_SIMULATIONS = 100
N_ROUNDS = 60
N_STARTS = 20  # boards on which games begin
FORCED = 0x0004_0003_0002_0001  # four different tiles in the left column can only move right
N_BOARDS = 60  # boards of one game, to calibrate on
BOARDS_SEED = 2**62  # no counted game has this seed
N_STEPS, N_STEP_ROUNDS = 3, 40
MAX_SIMULATIONS = 100_000
LEAF_VALUES = pd.CategoricalDtype([each.value for each in TITLES])
ROUND_COLUMNS = {"round": int, "depth": int, "leaf_value": LEAF_VALUES, "n_decisions": int}
ROUND_COLUMNS |= dict.fromkeys(("seconds_per_decision", "call_seconds"), float)
CALIBRATED_COLUMNS: dict[str, Any] = {
    **{"leaf_value": LEAF_VALUES, "plain_n_simulations": int},
    **{"widened": pd.CategoricalDtype([*WIDENED]), "k": float, "alpha": float},
    **{"n_simulations": int, "relative_time": float},
    **{"relative_time_low95": float, "relative_time_high95": float},
}
Calibration = dict[Widening, tuple[int, Estimate]]
"""m of each setting, and T(m) with its 95% interval; T(m) is not 1 because m is rounded."""


def time_round(agent: UCT, boards: Sequence[int], number: int) -> tuple[float, float]:
    """Return the mean CPU seconds of a decision without the call, and those of the call.

    Rounds with the same number use the same random streams.
    """
    decider = agent.in_game()
    streams = [stream(number, int(PLAYOUT), k) for k in range(len(boards))]
    begin = time.thread_time()
    for board, each in zip(boards, streams, strict=True):
        decider.decide(board, each)
    decided = time.thread_time()
    for each in streams:
        decider.decide(FORCED, each)
    call = (time.thread_time() - decided) / len(boards)
    return (decided - begin) / len(boards) - call, call


def time_decisions() -> pd.DataFrame:
    """Time all leaf values at all depths; in each round, they take turns at each depth.

    The leaf value that comes first changes from round to round. A first round warms up, and is not
    counted.
    """
    warm(UCT())
    boards = [initial(seed) for seed in range(N_STARTS)]
    agents = {key: UCT(TIMED_SIMULATIONS, key[1], EXPLORATION, key[0])
              for key in product(TITLES, DEPTHS)}  # fmt: skip
    taken, order = {}, list(TITLES)
    for number, depth in product((0, *range(N_ROUNDS)), DEPTHS):
        first = number % len(order)
        for each in order[first:] + order[:first]:
            taken[number, depth, each] = time_round(agents[each, depth], boards, number)
    rows = [
        (*place[:2], place[2].value, N_STARTS, *(float(f"{each:.4g}") for each in taken[place]))
        for place in product(range(N_ROUNDS), DEPTHS, TITLES)
    ]
    return pd.DataFrame(rows, columns=[*ROUND_COLUMNS])


def timing_rounds(path: Path) -> pd.DataFrame:
    """Return the rounds that a file stores; if they are incomplete, measure all rounds again."""
    found = paper.kept(path, ROUND_COLUMNS)
    design = [*product(range(N_ROUNDS), DEPTHS, LEAF_VALUES.categories, [N_STARTS])]
    if found is None or [*found.iloc[:, :4].itertuples(index=False, name=None)] != design:
        print("timing decisions (half a minute)", file=sys.stderr)
        found = time_decisions()
        found.to_csv(path, index=False)
    return found


def decision_seconds(rounds: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds of a decision by depth and round, one column per leaf value."""
    by = rounds.astype({"leaf_value": str}).set_index(["depth", "round", "leaf_value"])
    return by["seconds_per_decision"].unstack()


def timings_frame(rounds: pd.DataFrame) -> pd.DataFrame:
    """Return one row per leaf value and depth: seconds, also relative to random rollouts."""
    seconds = decision_seconds(rounds)
    calls = rounds.groupby(["leaf_value", "depth"], observed=True)["call_seconds"].median()
    relative = seconds.div(seconds[LeafValue.RANDOM.value], axis=0)
    lines = []
    for leaf_value, depth in product(LEAF_VALUES.categories, DEPTHS):
        mine, others = (each.loc[depth, leaf_value].to_numpy() for each in (seconds, relative))
        of, ratio = intervals.median(mine), intervals.median(others)
        line = {"leaf_value": leaf_value, "depth": depth, "n_rounds": len(mine)}
        line |= {"n_decisions": len(mine) * N_STARTS, "seconds_per_decision": of.value}
        line |= {"seconds_low95": of.low, "seconds_high95": of.high}
        line |= {"relative_to_random": ratio.value, "relative_low95": ratio.low}
        line |= {"relative_high95": ratio.high, "call_seconds": calls[leaf_value, depth]}
        lines.append(line)
    return pd.DataFrame(lines)


def sample_boards(agent: UCT) -> list[int]:
    """Return boards from the start to the end of one game of an agent, evenly spaced."""
    boards = [move.board for move in agent.moves(BOARDS_SEED)]
    places = np.linspace(0, len(boards) - 1, N_BOARDS).round().astype(int)
    return [boards[place] for place in places]


def calibrate(setting: Widening, boards: Sequence[int]) -> tuple[int, Estimate]:
    """Choose the m at which a setting takes the plain agent's time; return m and T(m)."""

    def allowed(m: Any) -> int:
        return int(np.clip(round(m), 1, MAX_SIMULATIONS))

    def relative_times(agent: UCT) -> npt.NDArray[np.float64]:
        ratios = []
        for number in range(N_STEP_ROUNDS + 1):  # one more, to warm up
            turns = (agent, setting.plain) if number % 2 else (setting.plain, agent)
            taken = {each: time_round(each, boards, number)[0] for each in turns}
            ratios.append(taken[agent] / taken[setting.plain])
        return np.array(ratios[1:])

    m, suggested = setting.plain_n_simulations, []
    for _ in range(N_STEPS):
        suggested.append(m / relative_times(setting.agent(m)))
        m = allowed(np.median(suggested[-1]))
    sought = intervals.median(np.concatenate(suggested[1:]))
    m = allowed(sought.value)
    return m, Estimate(m / sought.value, m / sought.high, m / sought.low)


def calibrated(path: Path) -> Calibration:
    """Return m and T(m) of each setting from the file; measure and store those that are missing."""
    found = paper.kept(path, CALIBRATED_COLUMNS)
    calibration: Calibration = {}
    for row in [] if found is None else found.itertuples(index=False, name=None):
        calibration[Widening(*row[:5])] = row[5], Estimate(*row[6:])
    missing = [setting for setting in widenings() if setting not in calibration]
    if missing:
        print(f"calibrating {len(missing)} settings (a minute or two)", file=sys.stderr)
        warm(UCT())
    boards = {plain: sample_boards(plain) for plain in {each.plain: None for each in missing}}
    for setting in missing:
        calibration[setting] = calibrate(setting, boards[setting.plain])
        rows = [(*each, m, t.value, t.low, t.high) for each, (m, t) in calibration.items()]
        pd.DataFrame(rows, columns=[*CALIBRATED_COLUMNS]).to_csv(path, index=False)
    return {setting: calibration[setting] for setting in widenings()}
