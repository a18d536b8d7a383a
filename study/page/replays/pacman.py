"""Games of Pacman recorded: where he, the ghosts and the food are after each turn."""

from typing import Any

from thetafront.agents.agent import warm
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.engine.pacman import World
from thetafront.engine.pacman.maze import NO_DIRECTION
from thetafront.engine.pacman.state import PACMAN, TIMER, X, Y
from thetafront.study.page.replays.recording import Recording


def record_pacman(agent: PacmanAgent, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` turn by turn.

    The data are ``rows``, the maze's lines, and ``morsels``: x, y, whether it is a capsule, and the
    turn in which it is eaten, or None. The steps are ``x``, ``y``, ``score``, ``outcome``,
    ``n_food``; ``action`` and ``moved``, what Pacman chose and where he went, or tried to go
    against a wall (north, east, south, west, none); and ``ghosts``: x and y in half cells, and
    whether it is scared, for each.
    """
    warm(agent)
    world = agent.start(seed)
    capsules = world.capsules
    places = zip(*(world.food | capsules).nonzero(), strict=True)
    turns: dict[tuple[int, int], int | None] = {(int(x), int(y)): None for x, y in places}
    names = ("x", "y", "score", "outcome", "n_food", "action", "moved", "ghosts")
    steps: dict[str, list[Any]] = {name: [] for name in names}

    def see(action: int, moved: int) -> None:
        ghosts = [[row[X], row[Y], int(row[TIMER] > 0)] for row in world.state.ghosts.tolist()]
        outcome = world.outcome.name.lower()
        seen = (*world.pacman, world.score, outcome, world.n_food, action, moved, ghosts)
        for column, value in zip(steps.values(), seen, strict=True):
            column.append(value)

    see(NO_DIRECTION, NO_DIRECTION)
    while not world.is_over:
        before = world.copy()
        action = int(agent.act(world).action)
        world.step(action)
        if turns.get(world.pacman, 0) is None:
            turns[world.pacman] = world.n_steps
        see(action, direction_of_pacman(before, world, action))
    morsels = [[*at, int(capsules[at]), turn] for at, turn in turns.items()]
    data = {"game": "pacman", "rows": list(agent.layout.rows), "morsels": morsels, "steps": steps}
    return Recording(data, world.score, world.n_steps)


def direction_of_pacman(before: World, after: World, action: int) -> int:
    """Return the direction that Pacman took; one with a wall, if he stayed where he was."""
    here, there = int(before.state.tally[PACMAN]), int(after.state.tally[PACMAN])
    possible = (action,) if action == NO_DIRECTION else (action, (action + 1) & 3, (action + 3) & 3)
    leads = before.layout.maze.after[here]
    return next(direction for direction in possible if leads[direction] == there)
