"""The planner against plain Python, and its games: one by one, move by move, and how many it wins."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys
from scipy import stats

from agents.pacman import agent as pacman_agent
from agents.pacman.loop import play_on
from agents.pacman.mdp import PacmanMDP
from agents.pacman.rewards import Distance, InZone
from engine.pacman import Action, Layout, Outcome, World
from tests.engine.pacman.positions import put, put_food, put_pacman
from tests.oracles import pacman_planner as oracle

MEDIUM = Layout.named("medium")


def worlds(layout: Layout, n: int) -> list[World]:
    """States of random games that are still running."""
    chance = np.random.default_rng(1)
    found: list[World] = []
    seed = 0
    while len(found) < n:
        world = World.start(layout, seed)
        for _ in range(chance.integers(1, 80)):
            if not world.is_over:
                world.step(int(chance.choice(world.open_directions)))
        if not world.is_over:
            found.append(world)
        seed += 1
    return found


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("gauss_seidel", [False, True])
@pytest.mark.parametrize("layout", [pacman_agent.SMALL, MEDIUM], ids=["small", "medium"])
def test_a_decision_is_that_of_plain_python(layout: Layout, gauss_seidel: bool, cut: bool) -> None:
    chance = np.random.default_rng(3)
    for case, world in enumerate(worlds(layout, 4)):
        if case % 2:  # little is left, and a corner of the map holds it
            put_food(world, (1, 1))
            put_pacman(world, 2, 1)
            for i in range(len(world.ghosts)):
                put(world, i, 3 + i, 5 if layout is MEDIUM else 3, timer=i)
        gamma, radius = float(chance.choice([0.5, 0.9, 1.0])), int(chance.integers(5))
        tolerance, most = [(0.5, 400), (0.0, 7)][case // 2]
        agent = PacmanMDP(
            gamma, radius, tolerance, most, gauss_seidel=gauss_seidel, cut=cut, layout=layout
        )
        decision = agent.act(world)
        game = oracle.game_of(world)
        rewards = oracle.rewards(game, radius)
        if cut:
            rewards = {cell: rewards[cell] for cell in rewards if cell in oracle.cut_cells(game)}
            assert len(rewards) < agent.motion.n_states or case % 2 == 0
        utility, n_sweeps, residual = oracle.sweeps(rewards, gamma, tolerance, most, gauss_seidel)
        assert {cell: decision.utilities[cell] for cell in utility} == pytest.approx(utility)
        assert np.isfinite(decision.utilities).sum() == len(utility)
        assert (decision.n_sweeps, decision.n_backups) == (n_sweeps, n_sweeps * len(utility))
        assert decision.residual == pytest.approx(residual, abs=1e-9)
        values = [
            rewards[world.pacman] + gamma * oracle.expected(utility, world.pacman, way)
            for way in "NESW"
        ]
        assert decision.values.tolist() == pytest.approx(values)
        assert values[decision.action] == pytest.approx(max(values))


@pytest.mark.parametrize(
    "agent",
    [
        PacmanMDP(0.6, 0, 0.1),
        PacmanMDP(0.9, 3, 0.0, 10, Distance.MAZE, InZone.ADDED, gauss_seidel=True),
        PacmanMDP(0.8, 2, 0.1, 30, cut=True, capsule_reward=20.0, layout=MEDIUM, ghosts="directional"),
    ],
    ids=["small", "options", "medium"],
)  # fmt: skip
def test_a_game_is_that_of_its_moves(agent: PacmanMDP, monkeypatch: Any) -> None:
    """Move by move by ``act``, in the smallest chunks, and in another process's place: the same game."""
    for seed in range(4):
        game = agent.play(seed)
        moves = list(agent.moves(seed))
        last, decision = moves[-1]
        last.step(decision.action)
        assert (game.score, game.outcome) == (last.score, last.outcome)
        assert (game.n_moves, game.n_food_left) == (len(moves), last.n_food)
        assert game.n_sweeps == sum(move.decision.n_sweeps for move in moves)
        assert game.n_backups == sum(move.decision.n_backups for move in moves)
        residuals = [move.decision.residual for move in moves]
        assert game.residual_mean == pytest.approx(np.mean(residuals), abs=1e-12)
        assert game.won is (game.outcome is Outcome.WON)
        sent = pickle.loads(pickle.dumps(agent)).play(seed)
        assert replace(sent, seconds=0) == replace(game, seconds=0)
    monkeypatch.setattr(pacman_agent, "BACKUPS_PER_CHUNK", 1)
    again = agent.play(seed)
    assert again.residual_mean == pytest.approx(game.residual_mean)
    assert replace(again, seconds=0, residual_mean=0) == replace(game, seconds=0, residual_mean=0)


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
    """Numba counts what its kernels allocate: as much for one move as for a game."""

    def n_allocated(max_moves: int) -> tuple[int, int]:
        agent = PacmanMDP(0.9, 2, layout=MEDIUM, cut=True)
        world, settings = World.start(MEDIUM, 3), agent.new_settings()
        before = rtsys.get_allocation_stats().mi_alloc
        play_on(settings, MEDIUM.maze, world.state, world.setup, max_moves, 10**12)
        return rtsys.get_allocation_stats().mi_alloc - before, world.n_steps

    _nrt_python.memsys_enable_stats()
    try:
        (by_one, one), (by_many, many) = n_allocated(1), n_allocated(1000)
    finally:
        _nrt_python.memsys_disable_stats()
    assert one == 1
    assert many > 20
    assert by_one == by_many


# Nothing but a room, with Pacman in its middle and food in a corner.
ROOM = Layout.parse(
    "%%%%%%%%%\n%.      %\n%       %\n%   P   %\n%       %\n%       %\n%%%%%%%%%", "room"
)


def test_of_equal_actions_each_is_as_likely() -> None:
    """After two sweeps the food, five steps away, is not in sight: all directions are worth the same."""
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
    """Food in the east, behind a ghost whose zone begins a step away.

    The way round begins in the south, but from there one slips into the zone with 0.1: so it goes against the wall in the
    west, from which one slips to the south alone. Once the ghost is scared, nothing is in the way.
    """
    ring = Layout.parse("%%%%%%%\n%P G .%\n% %%% %\n%     %\n%%%%%%%", "ring")
    agent = PacmanMDP(0.9, 1, 1e-6, 2000, layout=ring)
    world = World.start(ring, 0)
    assert agent.act(world).action == Action.WEST
    put_pacman(world, 1, 2)
    assert agent.act(world).action == Action.SOUTH
    put(world, 0, 3, 3, timer=40)
    assert agent.act(world).action == Action.NORTH


def test_it_wins_and_a_game_can_be_cut() -> None:
    """Seeded: 2,000 other games won 41.2%; of 200, that is 82 with a standard deviation of 7."""
    games = [PacmanMDP(0.9, 0).play(seed) for seed in range(200)]
    assert abs(sum(game.won for game in games) - 82) <= 5 * 7
    assert all(game.won == (game.n_food_left == 0) for game in games)
    cut = PacmanMDP(0.9, 2, most_steps=5, layout=MEDIUM).play(0)
    assert (cut.outcome, cut.n_moves, cut.won) == (Outcome.CUT, 5, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gamma": 0.0}, "gamma: 0 given, above 0 and up to 1 allowed"),
        ({"gamma": float("nan")}, "gamma: nan given, above 0 and up to 1 allowed"),
        ({"radius": 5}, "radius: 5 given, an integer from 0 to 4 allowed"),
        ({"radius": -1}, "radius: -1 given, an integer from 0 to 4 allowed"),
        ({"tolerance": -0.1}, "tolerance: -0.1 given, a finite number of 0 or more allowed"),
        ({"tolerance": float("inf")}, "tolerance: inf given, a finite number of 0 or more allowed"),
        ({"max_sweeps": 0}, "max_sweeps: 0 given, an integer from 1 to 5000 allowed"),
        ({"max_sweeps": 5001}, "max_sweeps: 5001 given, an integer from 1 to 5000 allowed"),
        ({"capsule_reward": 1e4}, "capsule_reward: 10000 given, -1000 to 1000 allowed"),
        ({"distance": "flight"}, "distance: 'flight' given, one of manhattan, maze allowed"),
        ({"in_zone": "lost"}, "in_zone: 'lost' given, one of overwritten, added allowed"),
        ({"ghosts": "lazy"}, "ghosts: 'lazy' given, one of random, directional allowed"),
        ({"most_steps": 0}, "most_steps: 0 given, an integer from 1 to 2**62 allowed"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        PacmanMDP(**arguments)
    assert str(caught.value) == message


def test_bad_worlds_and_seeds_are_named() -> None:
    agent = PacmanMDP()
    with pytest.raises(ValueError, match=r"^world: a game in the maze medium given, one in small"):
        agent.act(World.start(MEDIUM, 0))
    world = World.start(agent.layout, 0, most_steps=1)
    world.step(0)
    with pytest.raises(ValueError, match=r"^world: a game that is cut given, a running one expect"):
        agent.act(world)
    with pytest.raises(ValueError, match=r"^seed: -1 given"):
        agent.play(-1)
