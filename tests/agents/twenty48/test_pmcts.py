"""Pure Monte Carlo search against Algorithm 1 in plain Python."""

from functools import partial

import pytest

from tests.agents.twenty48.scheduled import check_decisions
from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.engine.rng import PLAYOUT, SPAWN
from thetafront.engine.twenty48 import playouts


def decision_by_definition(
    board: int, stream: int, n_playouts: int, n_best: int
) -> dict[int, float]:
    """Every playout of an action begins with a spawn of its own; the best ones count."""
    spawns = oracle.substream(stream, int(SPAWN))
    starts, rewards = [], {}
    for action, (after, reward) in oracle.slides(oracle.from_packed(board)).items():
        rewards[action] = reward
        for _ in range(n_playouts):
            word = next(oracle.words(oracle.substream(spawns, len(starts))))
            starts.append(oracle.to_packed(oracle.spawn(after, word)))
    seed = oracle.substream(stream, int(PLAYOUT))
    results = iter(playouts(starts, [1] * len(starts), seed)[0].tolist())
    return {
        action: reward + sum(sorted(next(results) for _ in range(n_playouts))[-n_best:]) / n_best
        for action, reward in rewards.items()
    }


@pytest.mark.parametrize(("top_share", "n_best"), [(1.0, 9), (0.4, 4)])
def test_decisions_follow_the_definition(top_share: float, n_best: int) -> None:
    agent = PureMonteCarlo(n_playouts=9, top_share=top_share)
    definition = partial(decision_by_definition, n_playouts=9, n_best=n_best)
    assert check_decisions(agent, definition) > 50
