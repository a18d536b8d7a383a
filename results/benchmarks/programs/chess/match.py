"""A match game of one engine against itself: one side plays by θ, the other always the same way.

The protocol is *serve*: the program reads a line of JSON with the seed and θ, and answers with the
result of the game. The seed decides the colour and the opening: four random moves that leave no
side ahead. A game ends early when the fixed side considers it decided. The answer's ``seconds`` are
the CPU seconds of the tuned side alone.
"""

import json
import os
import random
import subprocess
import sys
import time

ENGINE = os.environ.get("UCI_ENGINE", "stockfish")
FIXED_NODES = 500  # a move of the fixed side
MAX_PLIES = 80
OPENING_PLIES = 4
BALANCED, DECIDED, AHEAD = 60, 500, 150  # centipawns
PROCESS_CLOCK = 2  # CPU time of a process, by its number: see clock_getcpuclockid(3)


class Engine:
    """A UCI engine in a separate process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [ENGINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.options: dict[str, object] = {}
        self.ask("uci", "uciok")

    def send(self, line: str) -> None:
        """Send a command."""
        print(line, file=self.process.stdin)

    def ask(self, line: str, last: str) -> list[str]:
        """Send a command; return the lines up to the one that begins with ``last``."""
        self.send(line)
        lines = [""]
        while not lines[-1].startswith(last):
            if not (said := self.process.stdout.readline()):
                raise SystemExit(f"{ENGINE} has ended")
            lines.append(said.rstrip())
        return lines

    def new_game(self, options: dict[str, object]) -> None:
        """Set the options that have changed, and wait until the engine is ready."""
        for name, value in options.items():
            if self.options.get(name) != value:
                self.send(f"setoption name {name} value {value}")
        self.options = dict(options)
        self.ask("isready", "readyok")

    def move(self, moves: list[str], limit: str) -> tuple[str, int]:
        """Return the best move (``(none)`` if there is none) and its value in centipawns."""
        self.send(f"position startpos moves {' '.join(moves)}")
        *info, best = self.ask(f"go {limit}", "bestmove")
        words = next(line.split() for line in reversed(info) if " score " in line)
        kind, value = words[words.index("score") + 1 :][:2]
        thought = int(value) if kind == "cp" else DECIDED if int(value) > 0 else -DECIDED
        return best.split()[1], thought

    def cpu_seconds(self) -> float:
        """Return the CPU time of all its threads so far."""
        return time.clock_gettime((~self.process.pid << 3) | PROCESS_CLOCK)


def opening(rng: random.Random, engine: Engine) -> list[str]:
    """Return random moves after which the fixed side sees no side ahead."""
    while True:
        moves: list[str] = []
        for _ in range(OPENING_PLIES):
            engine.send(f"position startpos moves {' '.join(moves)}")
            counts = engine.ask("go perft 1", "Nodes")
            moves.append(rng.choice([line[:-3] for line in counts if line.endswith(": 1")]))
        if abs(engine.move(moves, f"nodes {FIXED_NODES}")[1]) <= BALANCED:
            return moves


def play(tuned: Engine, fixed: Engine, asked: dict) -> dict[str, str | float]:
    """Play a game."""
    rng = random.Random(asked["seed"])
    fixed.new_game({"Hash": 1})
    fixed.send("ucinewgame")
    moves = opening(rng, fixed)
    is_mine = rng.random() < 0.5
    tuned.new_game({"Hash": asked["hash"], "MultiPV": asked["multipv"], "Use NNUE": asked["nnue"]})
    limit = f"nodes {asked['nodes']} depth {asked['depth']}"
    began = tuned.cpu_seconds()
    tuned.send("ucinewgame")  # clears the hash table; a larger one takes more time
    # The value, in centipawns, is that of the tuned side as the fixed side sees it.
    mine = clear = quiet = value = 0
    while len(moves) < MAX_PLIES and clear < 3 and quiet < 10:
        side, how = (tuned, limit) if is_mine else (fixed, f"nodes {FIXED_NODES}")
        move, seen = side.move(moves, how)
        if move == "(none)":  # mate or stalemate
            value = 0 if seen == 0 else (-DECIDED if is_mine else DECIDED)
            break
        if is_mine:
            mine += 1
        else:
            value = -seen
            clear = clear + 1 if abs(value) >= DECIDED else 0
            quiet = quiet + 1 if value == 0 else 0  # repeated positions, mostly
        moves.append(move)
        is_mine = not is_mine
    result = "win" if value > AHEAD else "loss" if value < -AHEAD else "draw"
    return {"result": result, "moves": mine, "seconds": tuned.cpu_seconds() - began}


if __name__ == "__main__":
    sides = Engine(), Engine()
    for line in sys.stdin:
        print(json.dumps(play(*sides, json.loads(line))), flush=True)
