"""Games of Pacman recorded: a turn is his action, where he went, and where each ghost went."""

from thetafront.agents.agent import warm
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.engine.pacman import World
from thetafront.engine.pacman.maze import DX, DY, N_DIRECTIONS, NO_DIRECTION
from thetafront.engine.pacman.state import DIRECTION, PACMAN, X, Y
from thetafront.study.page.replays.recording import Recording


def record_pacman(agent: PacmanAgent, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` turn by turn.

    The data are ``rows``, the maze's lines; ``most_steps``; ``outcome``; and digits for directions
    (north, east, south, west, none): ``actions`` and ``moves`` have one a turn, what Pacman chose
    and where he went, or tried to go against a wall; ``ghosts`` has one a turn for each ghost. A
    ghost that did not move in the last turn has any.
    """
    warm(agent)
    world = agent.start(seed)
    actions, moves, ghosts = [], [], []
    while not world.is_over:
        before = world.copy()
        action = int(agent.act(world).action)
        world.step(action)
        actions.append(str(action))
        moves.append(str(direction_of_pacman(before, world, action)))
        ghosts += [str(direction_of_ghost(before, world, i)) for i in range(len(world.ghosts))]
    data = {
        "game": "pacman",
        "rows": list(agent.layout.rows),
        "most_steps": agent.most_steps,
        "outcome": world.outcome.name.lower(),
        "actions": "".join(actions),
        "moves": "".join(moves),
        "ghosts": "".join(ghosts),
    }
    return Recording(data, world.score, world.n_steps)


def direction_of_pacman(before: World, after: World, action: int) -> int:
    """Return the direction that Pacman took; one with a wall, if he stayed where he was."""
    here, there = int(before.state.tally[PACMAN]), int(after.state.tally[PACMAN])
    possible = (action,) if action == NO_DIRECTION else (action, (action + 1) & 3, (action + 3) & 3)
    leads = before.layout.maze.after[here]
    return next(direction for direction in possible if leads[direction] == there)


def direction_of_ghost(before: World, after: World, i: int) -> int:
    """Return the direction of ghost ``i``.

    One that Pacman ate after its own move has forgotten it: it was the direction that led to him,
    half a cell away or none, for a scared ghost moves by half a cell.
    """
    found = int(after.state.ghosts[i, DIRECTION])
    if found != NO_DIRECTION:
        return found
    x, y = int(before.state.ghosts[i, X]), int(before.state.ghosts[i, Y])
    pacman_x, pacman_y = (2 * place for place in after.pacman)
    for direction in range(N_DIRECTIONS):
        east, north = x + DX[direction] - pacman_x, y + DY[direction] - pacman_y
        if abs(east) + abs(north) == 1 and abs(x - pacman_x) + abs(y - pacman_y) > 1:
            return direction
    return NO_DIRECTION
