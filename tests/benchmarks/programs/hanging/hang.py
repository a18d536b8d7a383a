"""A coin that effort makes more likely to win; for one seed of forty it never comes down."""

import json
import random
import sys
import time

asked = json.loads(sys.stdin.readline())
rng = random.Random(asked["seed"])
if rng.random() < 1 / 40:
    time.sleep(1e6)
for _ in range(200 * asked["effort"]):  # thinking
    rng.random()
print(json.dumps({"won": rng.random() < asked["effort"] / (asked["effort"] + 20)}))
