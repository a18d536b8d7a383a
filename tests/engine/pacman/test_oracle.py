"""The kernel against plain Python with the same random words: single turns, and whole games."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from tests.oracles import pacman as oracle
from thetafront.engine.pacman import GhostKind, Layout, World
from thetafront.engine.pacman import state as places

HALF = Fraction(1, 2)

MAZES = {
    "small": Layout.named("small"),
    "medium": Layout.named("medium"),
    "room": Layout.parse("%%%%%%\n%G  o%\n% .. %\n%o P.%\n%%%%%%", "room"),
    "dead ends": Layout.parse(
        "%%%%%%%%%%\n%G%o%.%G%%\n%  P   o.%\n%.%%%.%%G%\n%%%%%%%%%%", "dead ends"
    ),
    "cage": Layout.parse("%%%%%%%\n%G%o..%\n%%%.%.%\n%GP.o.%\n%%%%%%%", "cage"),
    "alone": Layout.parse("%%%%%\n%P .%\n%%%%%", "alone"),
    "digits": Layout.parse("%%%%%%%%\n%2 o. 1%\n%G%%.%P%\n%.3 o  %\n%%%%%%%%", "digits"),
    "crowd": Layout.parse("%%%%%%%%\n%GGGGoo%\n%G%%.%P%\n%.GGG  %\n%%%%%%%%", "crowd"),
}


def check(world: World, game: oracle.Game) -> None:
    """Assert that both are in the same state."""
    assert oracle.game_of(world) == game
    assert world.n_food == len(game.food)


def scatter(game: oracle.Game, rng: np.random.Generator) -> None:
    """Draw a random state: ghosts often near Pacman, scared ones often between two cells."""
    cells = oracle.cells(game)
    game.pacman = cells[rng.integers(len(cells))]
    game.turn = int(rng.integers(1000))
    game.score = int(rng.integers(-500, 500))
    kept = [cell for cell in sorted(game.food) if rng.random() < 0.5]
    game.food = {*(kept or [min(game.food)])}
    if rng.random() < 0.5:  # the last one, beside Pacman or where he is
        game.food = {min(cells, key=lambda cell: (oracle.apart(cell, game.pacman), rng.random()))}
    game.capsules = {cell for cell in cells if cell not in game.food and rng.random() < 0.1}
    near = [cell for cell in cells if oracle.apart(cell, game.pacman) <= 2]
    for ghost in game.ghosts:
        among = near if rng.random() < 0.7 else cells
        ghost.place = among[rng.integers(len(among))]
        ghost.heading = [None, *"NESW"][rng.integers(5)]
        ghost.timer = int(rng.choice([0, 0, 1, 2, 3, 17, 40]))
        onward = [w for w in "NESW" if oracle.moved(ghost.place, w) not in game.walls]
        if ghost.timer and onward and rng.random() < 0.5:
            ghost.heading = onward[rng.integers(len(onward))]
            ghost.place = oracle.moved(ghost.place, ghost.heading, HALF)


def written(game: oracle.Game, world: World) -> None:
    """Write the oracle's state into the kernel's arrays."""
    height = world.layout.height
    tally = world.state.tally
    tally[places.PACMAN] = game.pacman[0] * height + game.pacman[1]
    tally[places.N_FOOD] = len(game.food)
    tally[places.N_STEPS] = game.turn
    tally[places.SCORE] = game.score
    for marks, cells in ((world.state.food, game.food), (world.state.capsules, game.capsules)):
        marks[:] = False
        marks[[x * height + y for x, y in cells]] = True
    for row, ghost in zip(world.state.ghosts, game.ghosts, strict=True):
        x, y = ghost.place
        heading = 4 if ghost.heading is None else "NESW".index(ghost.heading)
        row[:] = int(2 * x), int(2 * y), heading, ghost.timer


@pytest.mark.parametrize("name", MAZES)
@pytest.mark.parametrize("kind", GhostKind)
def test_single_turns_from_random_states(name: str, kind: GhostKind) -> None:
    layout = MAZES[name]
    rng = np.random.default_rng(list(MAZES).index(name))
    happened: Counter[str] = Counter()
    for seed in range(400):
        game = oracle.Game(layout.text, seed, kind is GhostKind.DIRECTIONAL)
        scatter(game, rng)
        world = World.start(layout, seed, kind)
        written(game, world)
        check(world, game)
        action = int(rng.integers(5))
        timers = [ghost.timer for ghost in game.ghosts]
        reward = game.step(oracle.LETTERS[action])
        assert world.step(action) == reward
        check(world, game)
        happened[game.outcome] += 1
        happened["eaten"] += reward in (199, 209)
        happened["two killers"] += reward in (-1001, -991)
        happened["won and eaten"] += reward in (709, 909)
        happened["two eaten"] += reward in (399, 409)
        happened["calmed"] += any(
            t == 1 and not g.timer for t, g in zip(timers, game.ghosts, strict=True)
        )
    expected = {"running", "won"}
    if layout.ghosts:
        expected |= {"lost", "eaten", "calmed"}
    if len(layout.ghosts) > 1:
        expected |= {"two eaten"}
    if name == "crowd":
        expected |= {"two killers", "won and eaten"}
    assert expected <= {event for event, n in happened.items() if n >= 3}


@pytest.mark.parametrize("name", MAZES)
@pytest.mark.parametrize("kind", GhostKind)
def test_whole_games(name: str, kind: GhostKind) -> None:
    """Random actions, including stops: kernel and plain Python agree at every step to the end."""
    layout = MAZES[name]
    rng = np.random.default_rng(100 + list(MAZES).index(name))
    for k, seed in enumerate(rng.integers(2**63, size=12).tolist()):
        p = [0.8, 1.0, 0.0, 0.35][k % 4]
        game = oracle.Game(
            layout.text, seed, kind is GhostKind.DIRECTIONAL, most_steps=300, p_chosen=Fraction(p)
        )
        world = World.start(layout, seed, kind, most_steps=300, p_chosen=p)
        while game.outcome == "running":
            action = int(rng.integers(5))
            assert world.step(action) == game.step(oracle.LETTERS[action])
            check(world, game)
        assert world.is_over
