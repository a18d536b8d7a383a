#!/usr/bin/env python3
"""A UCI engine for tests: plays Nim with one heap, better the more nodes it may look at.

A move takes 1 to 3 of 40; who takes the last one wins. So a heap that is no multiple of 4 is won.
It knows the best move with a probability that grows with the nodes, and burns time for them.
"""

import random
import sys

HEAP, MAX_TAKEN, SURE = 40, 3, 5000


def chosen(left: int, nodes: int) -> int:
    """Return how many to take."""
    rng = random.Random(f"{left} {nodes}")
    for _ in range(nodes):  # thinking
        rng.random()
    best = left % (MAX_TAKEN + 1)
    knows = rng.random() < (nodes / SURE) ** 0.5
    return best if best and knows else rng.randint(1, min(MAX_TAKEN, left))


left = HEAP
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("uciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        left = HEAP - sum(map(int, words[3:]))
    elif words[:2] == ["go", "perft"]:
        moves = range(1, min(MAX_TAKEN, left) + 1)
        print(*(f"{move}: 1" for move in moves), "", f"Nodes searched: {len(moves)}", sep="\n")
        sys.stdout.flush()
    elif words[:1] == ["go"] and not left:
        print("info depth 0 score mate 0\nbestmove (none)", flush=True)
    elif words[:1] == ["go"]:
        ahead = 30 if left % (MAX_TAKEN + 1) else -30
        move = chosen(left, int(words[words.index("nodes") + 1]))
        print(f"info depth 1 score cp {ahead}\nbestmove {move}", flush=True)
