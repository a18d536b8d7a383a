"""The errors of the paper's program against their definitions in plain Python."""

import numpy as np
import pytest

from tests.agents.twenty48.scheduled import boards_of_a_game, mean_of_best
from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.published_program import FoursExploredAsTwos, OneSpawnADirection
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE
from thetafront.engine.twenty48 import Rule, playouts

BOARDS = boards_of_a_game(120)[::6]


def test_all_games_of_a_direction_begin_with_one_spawn() -> None:
    rule = Rule.CASCADE
    agent = OneSpawnADirection(20, cascade=True)
    for stream, board in enumerate(BOARDS):
        decision = agent.act(board, stream)
        for action, (after, reward) in oracle.slides(oracle.from_packed(board), rule).items():
            mine = oracle.substream(stream, action)
            start = oracle.spawn(after, next(oracle.words(oracle.substream(mine, 2))))
            scores, _ = playouts([oracle.to_packed(start)], [20], oracle.substream(mine, 3), rule)
            assert decision.values[action] == pytest.approx(reward + scores.mean())
        assert decision.action == np.nanargmax(decision.values)


@pytest.mark.parametrize("top_share", [1.0, 0.25])
def test_a_two_stands_where_a_four_is_meant(top_share: float) -> None:
    agent = FoursExploredAsTwos(top_share, cascade=True)
    for stream, board in enumerate(BOARDS):
        decision = agent.act(board, stream)
        slides = oracle.slides(oracle.from_packed(board), Rule.CASCADE)
        for action, (after, reward) in slides.items():
            empty = oracle.empty_cells(after)
            m = len(empty)
            counts = [AUTHORS_SCHEDULE.n_twos[m - 1], AUTHORS_SCHEDULE.n_fours[m - 1]] * m
            nodes = [oracle.to_packed(oracle.put(after, cell, 2)) for cell in empty for _ in "24"]
            mine = oracle.substream(stream, action)
            scores, _ = playouts(nodes, counts, mine, Rule.CASCADE)
            value = float(reward)
            parts = np.split(scores, np.cumsum(counts)[:-1])
            for part, p in zip(parts, [0.9, 0.1] * m, strict=True):
                value += p / m * mean_of_best(part.tolist(), top_share)
            assert decision.values[action] == pytest.approx(value, rel=1e-12)
