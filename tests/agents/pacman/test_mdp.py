"""The planner against plain Python: its decisions and its work arrays."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from tests.engine.compiled import count_allocations
from tests.engine.pacman.positions import put, put_food, put_pacman, running_worlds
from tests.oracles import pacman_planner as oracle
from tests.oracles.pacman import game_of
from thetafront.agents.pacman.loop import play_on
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Action, Layout, World

MEDIUM = Layout.named("medium")


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("gauss_seidel", [False, True])
@pytest.mark.parametrize("layout", [Layout.named("small"), MEDIUM], ids=["small", "medium"])
def test_a_decision_is_that_of_plain_python(layout: Layout, gauss_seidel: bool, cut: bool) -> None:
    chance = np.random.default_rng(3)
    p_chosen = [0.8, 1.0, 0.65, 0.0][cut + 2 * gauss_seidel]
    for case, world in enumerate(running_worlds(layout, 4)):
        if case % 2:  # little is left, and a corner of the map holds it
            put_food(world, (1, 1))
            put_pacman(world, 2, 1)
            for i in range(len(world.ghosts)):
                put(world, i, 3 + i, 5 if layout is MEDIUM else 3, timer=i)
        gamma, radius = float(chance.choice([0.5, 0.9, 1.0])), int(chance.integers(5))
        tolerance, most = [(0.5, 400), (0.0, 7)][case // 2]
        agent = PacmanMDP(
            gamma,
            radius,
            tolerance,
            most,
            gauss_seidel=gauss_seidel,
            cut=cut,
            layout=layout,
            p_chosen=p_chosen,
        )
        decision = agent.act(world)
        game = game_of(world)
        rewards = oracle.rewards(game, radius)
        if cut:
            rewards = {cell: rewards[cell] for cell in rewards if cell in oracle.cut_cells(game)}
            assert len(rewards) < agent.motion.n_states or case % 2 == 0
        utility, n_sweeps, residual = oracle.sweeps(
            rewards, gamma, tolerance, most, gauss_seidel, p_chosen
        )
        assert {cell: decision.utilities[cell] for cell in utility} == pytest.approx(utility)
        assert np.isfinite(decision.utilities).sum() == len(utility)
        assert (decision.n_sweeps, decision.n_backups) == (n_sweeps, n_sweeps * len(utility))
        assert decision.residual == pytest.approx(residual, abs=1e-9)
        values = [
            rewards[world.pacman] + gamma * oracle.expected(utility, world.pacman, way, p_chosen)
            for way in "NESW"
        ]
        assert decision.values.tolist() == pytest.approx(values)
        assert values[decision.action] == pytest.approx(max(values))


def test_a_chunk_ends_with_its_moves_or_its_backups() -> None:
    agent = PacmanMDP(0.9, 2, 0.0, 10, layout=MEDIUM)
    world = World.start(MEDIUM, 1)
    a_sweep = agent.motion.n_states

    def go_on(max_moves: int, max_backups: int) -> tuple[int, int]:
        before = world.n_steps
        n_sweeps, n_backups, _ = play_on(
            agent.new_settings(), MEDIUM.maze, world.state, world.setup, max_moves, max_backups
        )
        assert n_backups == n_sweeps * a_sweep
        return world.n_steps - before, int(n_sweeps)

    assert go_on(3, 10**9) == (3, 30)
    assert go_on(1000, 20 * a_sweep) == (2, 20)
    assert go_on(1000, 20 * a_sweep + 1) == (3, 30)
    assert go_on(0, 10**9) == (0, 0)


def test_a_move_allocates_nothing() -> None:
    """As many allocations for one move as for a game."""
    counts, n_steps = [], []
    for max_moves in (1, 1, 1000):  # the first call may load the kernel
        agent = PacmanMDP(0.9, 2, layout=MEDIUM, cut=True, route_reward=2)
        world = World.start(MEDIUM, 3)
        given = agent.new_settings(), MEDIUM.maze, world.state, world.setup, max_moves, 10**12
        counts.append(count_allocations(partial(play_on, *given)))
        n_steps.append(world.n_steps)
    assert counts[1] == counts[2]
    assert n_steps[:2] == [1, 1]
    assert n_steps[2] > 20


# Nothing but a room, with Pacman in its middle and food in a corner.
ROOM = Layout.parse(
    "%%%%%%%%%\n%.      %\n%       %\n%   P   %\n%       %\n%       %\n%%%%%%%%%", "room"
)


def test_of_equal_actions_each_is_as_likely() -> None:
    """After two sweeps, food five steps away has no effect: all values are equal."""
    agent = PacmanMDP(0.9, 2, 0.0, 2, layout=ROOM)
    actions = np.zeros(4)
    for seed in range(2000):
        decision = agent.act(World.start(ROOM, seed))
        assert len(set(decision.values.tolist())) == 1
        actions[decision.action] += 1
    assert stats.chisquare(actions).pvalue > 1e-3
    # After enough of them it is: to the north or to the west.
    far = PacmanMDP(0.9, 2, 1e-6, 1000, layout=ROOM)
    chosen = {far.act(World.start(ROOM, seed)).action for seed in range(20)}
    assert chosen <= {Action.NORTH, Action.WEST}


def test_it_takes_no_chance_beside_a_ghost() -> None:
    """Food is in the east, behind a ghost whose zone begins one step away.

    The way round begins in the south, but from that action it slips into the zone with 0.1. So it
    pushes against the wall in the west, from which it can only slip to the south. Once the ghost is
    scared, the way is free.
    """
    ring = Layout.parse("%%%%%%%\n%P G .%\n% %%% %\n%     %\n%%%%%%%", "ring")
    agent = PacmanMDP(0.9, 1, 1e-6, 2000, layout=ring)
    world = World.start(ring, 0)
    assert agent.act(world).action == Action.WEST
    put_pacman(world, 1, 2)
    assert agent.act(world).action == Action.SOUTH
    put(world, 0, 3, 3, timer=40)
    assert agent.act(world).action == Action.NORTH


def test_bad_worlds_are_named() -> None:
    agent = PacmanMDP()
    with pytest.raises(
        ValueError, match=r"^world must be in the agent's maze, small \(got medium\)"
    ):
        agent.act(World.start(MEDIUM, 0))
    world = World.start(agent.layout, 0, most_steps=1)
    world.step(0)
    with pytest.raises(ValueError, match=r"^world must be a running game \(got a game that is cut"):
        agent.act(world)
