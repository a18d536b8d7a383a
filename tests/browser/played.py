"""Games that agents play for tests, recorded as for a page."""

from collections.abc import Iterator
from typing import Any

from thetafront.agents.agent import Agent, Game
from thetafront.agents.catalog import build
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.study.page.replays.recorded import record_game

CHEAP: dict[str, Any] = {f"theta{k}": value for k, value in enumerate((16, 8, 4, 2, 1.0, 0.05), 1)}
# Many words of chance are needed to see each rule: a capsule, a ghost eaten, a game cut short.
PACMAN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pacman_random", {"layout": "small"}),
    ("pacman_random", {"layout": "medium", "ghosts": "directional"}),
    ("pacman_mdp", {"layout": "medium"}),
    ("pacman_mdp", {"layout": "medium", "most_steps": 60}),
)


def agents() -> Iterator[tuple[Agent, range]]:
    """Yield agents with the seeds of their games: 34 of 2048, 33 of Pacman, 33 of dice."""
    yield build("random", {}), range(17)
    yield build("mcmdp", CHEAP), range(100, 107)
    yield MonteCarloMDP(**CHEAP, cascade=True), range(200, 205)
    yield build("expectimax", {}), range(300, 305)
    for k, (name, values) in enumerate(PACMAN):
        yield build(name, values), range(400 + 10 * k, 408 + 10 * k + (k == 2))
    yield DiceAgent(), range(20)
    yield DiceAgent(gamma=0.5, tolerance=1.0), range(500, 507)
    yield DiceAgent(n_dice=4, n_sides=8), range(600, 606)


def shown(agent: Agent, game: Game, label: str = "number 1, proposal") -> dict[str, Any]:
    """Return what a page's script takes, with the score that the agent's own game has."""
    return {
        **record_game(agent, game.seed),
        "label": label,
        "seed": str(game.seed),
        "score": int(game.score),
        "note": "",
    }
