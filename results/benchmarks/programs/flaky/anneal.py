"""Finds short tours of 40 cities by simulated annealing, and sometimes fails.

The protocol is *serve*. The program fails if the last temperature is above the first (a fifth of
all θ), and for one seed in a hundred, whatever θ is.
"""

import json
import math
import random
import sys

N_CITIES = 40
FAILING = 0.01
EXPECTED = 0.7124 * math.sqrt(N_CITIES)  # length of the shortest tour through many random cities


def tour_length(seed: int, steps: int, hot: float, cold: float, reach: int) -> float:
    """Return the length of the tour that is found, as a multiple of a good tour's length."""
    rng = random.Random(seed)
    if rng.random() < FAILING:
        raise RuntimeError(f"seed {seed}: two cities in one place")
    if cold > hot:
        raise ValueError(f"cold {cold:g} above hot {hot:g}")
    cities = [complex(rng.random(), rng.random()) for _ in range(N_CITIES)]
    length = sum(abs(cities[k] - cities[k - 1]) for k in range(N_CITIES))
    for step in range(steps):
        temperature = hot * (cold / hot) ** (step / steps)
        i = rng.randrange(N_CITIES - 1)
        j = min(i + rng.randint(1, reach), N_CITIES - 1)  # the part from i to j is reversed
        before, first, last, after = cities[i - 1], cities[i], cities[j], cities[(j + 1) % N_CITIES]
        longer = 0.0
        if before != last:
            longer = (
                abs(before - last) + abs(first - after) - abs(before - first) - abs(last - after)
            )
        if longer <= 0.0 or rng.random() < math.exp(-longer / temperature):
            cities[i : j + 1] = cities[i : j + 1][::-1]
            length += longer
    return length / EXPECTED


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"length": tour_length(**json.loads(line))}), flush=True)
