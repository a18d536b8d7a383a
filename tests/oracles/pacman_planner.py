"""Pacman's planner in plain Python: the report's rewards, and sweeps of its equation 5.

It knows no flat indices, half cells or kernels: a cell is a pair (x, y), a ghost's position a pair
of fractions.
"""

from fractions import Fraction

from tests.oracles.pacman import LEFT_OF, RIGHT_OF, Cell, Game, apart, cells, moved

ZONE = {0: -500, 1: -300, 2: -200, 3: -100, 4: -50}


def steps_between(game: Game, start: Cell) -> dict[Cell, int]:
    """Steps of a true way to each cell that one leads to, ring by ring."""
    steps, ring = {start: 0}, [start]
    while ring:
        further = []
        for cell in ring:
            for way in "NESW":
                after = moved(cell, way, 1)
                if after not in game.walls and after not in steps:
                    steps[after] = steps[cell] + 1
                    further.append(after)
        ring = further
    return steps


def rewards(
    game: Game,
    radius: int,
    in_maze: bool = False,
    added: bool = False,
    capsule: float = -1,
    route: tuple = (),
    extra: float = 0,
) -> dict[Cell, float]:
    """R of each cell; those of a route have something extra."""
    reward: dict[Cell, float] = {}
    for cell in cells(game):
        lies_there = 10 if cell in game.food else capsule if cell in game.capsules else -1
        lies_there += extra * (cell in route)
        zones = []
        for ghost in game.ghosts:
            if not ghost.timer:
                away = (
                    steps_between(game, cell).get(ghost.place)
                    if in_maze
                    else apart(cell, ghost.place)
                )
                if away is not None and away <= radius:
                    zones.append(ZONE[int(away)])
        reward[cell] = sum(zones) + (lies_there if added or not zones else 0)
    return reward


def cut_cells(game: Game) -> set[Cell]:
    """Those of the box around food, ghosts and Pacman, one cell larger on each side."""
    places = [game.pacman, *game.food, *(ghost.place for ghost in game.ghosts)]
    xs, ys = zip(*places, strict=True)
    return {
        (x, y)
        for x, y in cells(game)
        # A ghost half a cell further in is in both cells.
        if min(xs) - Fraction(3, 2) <= x <= max(xs) + Fraction(3, 2)
        and min(ys) - Fraction(3, 2) <= y <= max(ys) + Fraction(3, 2)
    }


def expected(utility: dict[Cell, float], cell: Cell, way: str, p_chosen: float = 0.8) -> float:
    """Σ P·U of a direction; where there is no cell of the map, Pacman stays."""
    return sum(
        p * utility.get(moved(cell, to, 1), utility[cell])
        for to, p in (
            (way, p_chosen),
            (LEFT_OF[way], (1 - p_chosen) / 2),
            (RIGHT_OF[way], (1 - p_chosen) / 2),
        )
    )


def sweeps(
    reward: dict[Cell, float],
    gamma: float,
    tolerance: float,
    most: int,
    gauss_seidel: bool,
    p_chosen: float = 0.8,
) -> tuple[dict[Cell, float], int, float]:
    """Utilities, how many sweeps were made, and the residual of the last."""
    utility = dict.fromkeys(reward, 0.0)
    residual, n = float("inf"), 0
    while n < most and residual > tolerance:
        seen = utility if gauss_seidel else dict(utility)
        residual = 0.0
        for cell, here in reward.items():
            value = here + gamma * max(expected(seen, cell, way, p_chosen) for way in "NESW")
            residual = max(residual, abs(value - utility[cell]))
            utility[cell] = value
        n += 1
    return utility, n, residual
