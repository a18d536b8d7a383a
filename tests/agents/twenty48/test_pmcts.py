"""Pure Monte Carlo search against Algorithm 1 in plain Python."""

import pytest

from tests.agents.twenty48.scheduled import boards_of_a_game, check_values
from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.engine.rng import PLAYOUT, SPAWN
from thetafront.engine.twenty48 import playouts


def decision_by_definition(
    board: int, n_playouts: int, stream: int, n_best: int
) -> dict[int, float]:
    """Every playout of an action begins with a spawn of its own; the best ones count."""
    faces = oracle.from_packed(board)
    spawns = oracle.substream(stream, int(SPAWN))
    starts, rewards = [], {}
    for action in oracle.legal_actions(faces):
        after, rewards[action] = oracle.slide(faces, action)
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
    n_compared = 0
    for stream, board in enumerate(boards_of_a_game(150)):
        expected = decision_by_definition(board, 9, stream, n_best)
        decision = agent.act(board, stream)
        if len(expected) == 1:
            assert [decision.action] == list(expected)
            continue
        check_values(decision, expected)
        n_compared += 1
    assert n_compared > 50


def test_more_playouts_score_more() -> None:
    """10 games each; the means differ by four to one, the errors are under a tenth of that."""
    few = [PureMonteCarlo(1).play(seed).score for seed in range(10)]
    many = [PureMonteCarlo(30).play(seed).score for seed in range(10)]
    assert sum(many) > 1.5 * sum(few)
