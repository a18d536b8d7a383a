"""Pacman's motion as an MDP, against plain Python."""

from collections import Counter

import numpy as np
import pytest

from tests.oracles import pacman as oracle
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.pacman.maze_mdp import NO_STATE, maze_motion
from thetafront.engine.pacman import Layout


def ways(
    game: oracle.Game, cell: tuple[int, int], letter: str, p_chosen: float
) -> dict[tuple[int, int], float]:
    """Cells that an action leads to, and their probabilities."""
    if letter == ".":
        return {cell: 1.0}
    likely: Counter[tuple[int, int]] = Counter()
    for way, p in (
        (letter, p_chosen),
        (oracle.LEFT_OF[letter], (1 - p_chosen) / 2),
        (oracle.RIGHT_OF[letter], (1 - p_chosen) / 2),
    ):
        ahead = (cell[0] + oracle.VECTORS[way][0], cell[1] + oracle.VECTORS[way][1])
        likely[cell if ahead in game.walls else ahead] += p
    return dict(likely)


@pytest.mark.parametrize("name", ["small", "medium"])
@pytest.mark.parametrize("p_chosen", [0.8, 0.3, 0.95])
def test_every_action_leads_where_it_should(name: str, p_chosen: float) -> None:
    layout = Layout.named(name)
    game = oracle.Game(layout.text, seed=0)
    motion = maze_motion(layout, p_chosen)
    mdp = FiniteMDP(*motion.tables(np.zeros(motion.n_states), 0.9))
    cells = [divmod(int(cell), layout.height) for cell in motion.cell_of]
    everywhere = {(x, y) for x in range(layout.width) for y in range(layout.height)}
    assert set(cells) == everywhere - game.walls
    assert motion.n_states == len(cells)
    assert (motion.state_of[motion.cell_of] == np.arange(len(cells))).all()
    assert (motion.state_of == NO_STATE).sum() == len(game.walls)
    for state, cell in enumerate(cells):
        for action, letter in zip(mdp.actions(state), "NESW", strict=True):
            likely: Counter[tuple[int, int]] = Counter()
            for outcome, p in zip(*mdp.outcomes(action), strict=True):
                likely[cells[outcome]] += p
            expected = ways(game, cell, letter, p_chosen)
            assert {cell: p for cell, p in likely.items() if p} == pytest.approx(
                {cell: p for cell, p in expected.items() if p}
            )


def test_the_reports_motion_has_exact_tenths() -> None:
    """Not 0.09999999999999998 = (1 − 0.8)/2, which would change published games."""
    motion = maze_motion(Layout.named("small"))
    assert set(motion.probability.tolist()) == {0.8, 0.1}


def test_all_actions_of_a_state_have_its_reward() -> None:
    layout = Layout.parse("%%%%%\n%P .%\n%%%%%", "row")
    motion = maze_motion(layout)
    tables = motion.tables([-1, -2, 10], 0.5)
    assert tables.reward.tolist() == [-1] * 4 + [-2] * 4 + [10] * 4
    # From the middle: east 0.8 of 10, the sides stay; R = −2, γ = ½.
    values, policy = FiniteMDP(*tables).greedy([0, 0, 10])
    assert values[1] == pytest.approx(-2 + 0.5 * 0.8 * 10)
    assert policy[1] == 4 * 1 + 1


def test_bad_rewards_and_discounts_are_refused() -> None:
    layout = Layout.parse("%%%%%\n%P .%\n%%%%%", "row")
    motion = maze_motion(layout)
    with pytest.raises(ValueError, match=r"^rewards must have shape \(3,\), .*got \(2,\)"):
        motion.tables([1, 2], 0.9)
    with pytest.raises(ValueError, match=r"^discount must be above 0 and up to 1 \(got 0\)$"):
        motion.tables([1, 2, 3], 0)
