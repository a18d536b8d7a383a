"""Rates of learning and of search over a heuristic, in millions of moves a CPU second.

Learning goes on from round to round, as in a training: weights fill up, and games get longer.
"""

import time
from operator import attrgetter

import numpy as np

from results.benchmarks.engine.rates import Round, inside
from thetafront.agents.twenty48.heuristic import Expectimax
from thetafront.agents.twenty48.ntuple.learning import MOST_MOVES, learn
from thetafront.agents.twenty48.ntuple.patterns import NETWORKS, n_looked_up, n_weights_of
from thetafront.agents.twenty48.ntuple.training_settings import Method, TrainingSettings
from thetafront.engine.twenty48.rows import row_tables

BATCH = 10  # games
NO_LIMIT = 1 << 62


def learning(settings: TrainingSettings, seconds: float) -> Round:
    """Return a round of learning for so many CPU seconds, with new weights at first."""
    n, m = n_weights_of(settings.patterns), n_looked_up(settings.patterns)
    network = NETWORKS[settings.patterns](np.zeros(n, np.float32))
    coherence = np.zeros((n if settings.is_coherent else 0, 2), np.float32)
    path, rewards = np.empty(MOST_MOVES, np.uint64), np.empty(MOST_MOVES, np.float32)
    indices = np.empty(m, np.uint64)
    n_learned = 0

    def learn_on(number: int) -> tuple[int, float]:
        nonlocal n_learned
        count = 0
        spent = 0.0
        while spent < seconds:
            begin = time.thread_time()
            n_games, n_moves, _total = learn(
                network,
                coherence,
                row_tables(),
                np.uint64(settings.seed),
                n_learned,
                BATCH if n_learned else 1,  # the first game compiles
                NO_LIMIT,
                settings.rate,
                settings.decay,
                settings.restart,
                settings.is_coherent,
                path,
                rewards,
                indices,
            )
            if n_learned:
                spent += time.thread_time() - begin
                count += int(n_moves)
            n_learned += n_games
        return count, spent

    return learn_on


def value_rounds(seconds: float) -> dict[str, dict[str, Round]]:
    """Return the rounds, by unit and name."""
    moves = attrgetter("n_moves")
    tc, td = TrainingSettings(), TrainingSettings(method=Method.PLAIN, rate=0.1)
    return {
        "moves": {
            f"learning {tc.patterns}, {tc.method}": learning(tc, seconds),
            f"learning {td.patterns}, {td.method}": learning(td, seconds),
            "expectimax, one ply": inside(Expectimax(depth=1), seconds, moves),
            "expectimax, two plies": inside(Expectimax(depth=2), seconds, moves),
        }
    }
