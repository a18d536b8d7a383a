"""Writes the file that xz compresses (corpus.py FILE [BYTES]), the same on every machine.

One third is text of invented words, and one third is records of numbers. The last third repeats
earlier pages with small changes, from further and further back. Each of xz's parameters therefore
matters somewhere.
"""

import random
import struct
import sys
from pathlib import Path

SEED = 29
N_BYTES = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
PAGE = 4_000


def words(rng: random.Random) -> bytes:
    """Return text, in which some words are far more frequent than others."""
    letters = "etaoinshrdlucm"
    known = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(3_000)]
    weights = [1.0 / (k + 1) for k in range(len(known))]
    return " ".join(rng.choices(known, weights, k=N_BYTES // 12)).encode()[: N_BYTES // 3]


def records(rng: random.Random) -> bytes:
    """Return records of 16 bytes: a counter, a slow random walk, a code, and noise."""
    level, found = 0.0, []
    for k in range(N_BYTES // 48):
        level += rng.gauss(0.0, 1.0)
        code, noise = rng.choice([3, 7, 19]), rng.randrange(256)
        found.append(struct.pack("<IfII", k, round(level, 1), code, noise))
    return b"".join(found)


def corpus(rng: random.Random) -> bytes:
    """Return the whole file."""
    made = bytearray(words(rng) + records(rng))
    while len(made) < N_BYTES:
        begin = int((len(made) - PAGE) * rng.random() ** 2)
        page = bytearray(made[begin : begin + PAGE])
        for _ in range(PAGE // 100):
            page[rng.randrange(PAGE)] = rng.randrange(256)
        made += page
    return bytes(made[:N_BYTES])


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if not target.exists():
        draft = target.with_suffix(".draft")
        draft.write_bytes(corpus(random.Random(SEED)))
        draft.rename(target)
