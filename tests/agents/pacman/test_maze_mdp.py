"""Pacman's motion as an MDP, against plain Python."""

import numpy as np
import pytest

from tests.oracles import pacman_planner as oracle
from tests.oracles.pacman import Game
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.pacman.maze_mdp import NO_STATE, maze_motion
from thetafront.engine.pacman import Layout


@pytest.mark.parametrize("name", ["small", "medium"])
@pytest.mark.parametrize("p_chosen", [0.8, 0.3, 0.95])
def test_every_action_leads_where_it_should(name: str, p_chosen: float) -> None:
    """Expectations of random utilities are those of plain Python."""
    layout = Layout.named(name)
    game = Game(layout.text, seed=0)
    motion = maze_motion(layout, p_chosen)
    mdp = FiniteMDP(*motion.tables)
    cells = [divmod(int(cell), layout.height) for cell in motion.cell_of]
    assert cells == oracle.cells(game)
    assert motion.n_states == len(cells)
    assert (motion.state_of[motion.cell_of] == np.arange(len(cells))).all()
    assert (motion.state_of == NO_STATE).sum() == len(game.walls)
    utility = dict(zip(cells, np.random.default_rng(0).random(len(cells)).tolist(), strict=True))
    for state, cell in enumerate(cells):
        for action, letter in zip(mdp.actions(state), "NESW", strict=True):
            outcomes, probabilities = mdp.outcomes(action)
            found = sum(p * utility[cells[k]] for k, p in zip(outcomes, probabilities, strict=True))
            assert found == pytest.approx(oracle.expected(utility, cell, letter, p_chosen))


def test_the_reports_motion_has_exact_tenths() -> None:
    """Not 0.09999999999999998 = (1 − 0.8)/2, which would change published games."""
    motion = maze_motion(Layout.named("small"))
    assert set(motion.tables.probability.tolist()) == {0.8, 0.1}
