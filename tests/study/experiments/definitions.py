"""Definitions of users for tests, as they would write them."""

COINS = '''"""A coin: how much effort is winning worth?"""

import random

from thetafront import CategoricalParameter, Experiment, NumericParameter, Space, rate


def play(seed: int, effort: int, side: str) -> dict[str, float]:
    """Toss a coin, which effort makes more likely to win."""
    rng = random.Random(seed)
    n_moves = rng.randint(5, 15)
    for _ in range(50 * effort * n_moves):
        rng.random()
    bonus = 0.05 if side == "edge" else 0.0
    won = random.Random(seed + 1).random() < effort / (effort + 20) + bonus
    return {"won": won, "moves": n_moves, "luck": rng.random()}


COINS = Experiment(
    name="coins",
    agent=play,
    space=Space(
        (
            NumericParameter("effort", 1, 100, integer=True, log=True),
            CategoricalParameter("side", ("face", "edge")),
        )
    ),
    goal=rate("won"),
    baselines={"lazy": {"effort": 1, "side": "face"}},
)
'''

SEARCHER = '''"""A class, whose games have no moves, and whose error is minimized."""

from dataclasses import dataclass

from thetafront import Experiment, NumericParameter, Space, mean


@dataclass(frozen=True)
class Searcher:
    depth: int
    width: float

    def play(self, seed: int) -> dict[str, float]:
        x = 0.0
        for k in range(2000 * self.depth):
            x += k * 1e-9
        noise = ((seed * 2654435761) % 1000) / 1000 - 0.5
        return {"error": -3.0 + 4.0 / self.depth + abs(self.width - 2.0) + 0.2 * noise}


SEARCH = Experiment(
    name="searcher",
    agent=Searcher,
    space=Space(
        (
            NumericParameter("depth", 1, 20, integer=True, log=True),
            NumericParameter("width", 0.5, 8.0, log=True),
        )
    ),
    goal=mean("error", unit="bits", direction="minimize"),
)
'''

ENGINE = """import json, sys

def play(asked):
    x = 0
    for k in range(1000 * int(asked["depth"])):
        x += k
    won = (asked["seed"] * 2654435761) % 100 < 90 * asked["depth"] / (asked["depth"] + 4)
    return {"won": won, "moves": 5 + asked["seed"] % 3, "opening": "a4"}

if sys.argv[1:] == ["serve"]:
    for line in sys.stdin:
        print(json.dumps(play(json.loads(line))), flush=True)
else:
    asked = {"depth": int(sys.argv[1]), "seed": int(sys.argv[2])}
    print(json.dumps(play(asked)))
"""

ONCE = """name = "engine"
title = "An engine"
command = ["python3", "-S", "engine.py", "{depth}", "{seed}"]
time_limit = 20
[parameters.depth]
low = 1
high = 30
integer = true
log = true
[objective]
name = "won"
kind = "rate"
[baselines.shallow]
depth = 1
"""
SERVE = ONCE.replace('"{depth}", "{seed}"]', '"serve"]\nprotocol = "serve"').replace(
    '"engine"', '"server"'
)
