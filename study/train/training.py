"""Training of one network: rounds of games in threads, and checkpoints in between.

With one thread a network is a function of its settings and its number of games, to the bit. Several
threads share the weights without locks: faster, but no two such trainings are the same.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.parameters import plain_values
from agents.twenty48.ntuple.learning import MOST_MOVES, learn
from agents.twenty48.ntuple.network import (
    MANIFEST,
    TrainedNetwork,
    TrainingSettings,
    digest_of_weights,
    folder_of,
    weights_name,
)
from agents.twenty48.ntuple.patterns import NETWORKS, n_looked_up, n_weights_of
from engine.twenty48.rows import row_tables
from study import interrupt
from study.errors import RunError
from study.store.atomic import atomic_write
from study.store.manifest import provenance, write_json
from study.train.checkpoint import CHECKPOINT, Counts, load, save

BATCH_SECONDS = 0.1  # of games that a thread plays before it looks at the clock
ROUND_SECONDS = 5.0
LOOK_SECONDS = 0.25
CHECKPOINT_SECONDS = 60.0
LARGEST_SHARE = 0.1  # of the time that checkpoints may take
MOST_RECENT = 1000  # games, of which the mean score is told
FLOAT_BYTES = 4
UNLIMITED = 1 << 62


@dataclass(frozen=True)
class TrainingBudget:
    """When a training is done: after so many CPU seconds of all threads, or moves, in all."""

    cpu_seconds: float = math.inf
    n_moves: float = math.inf

    def share(self, counts: Counts) -> float:
        """Return which part of it is spent: 1 or more when it is."""
        return max(counts.cpu_seconds / self.cpu_seconds, counts.n_moves / self.n_moves)

    def moves_left(self, counts: Counts) -> int:
        """Return how many moves are left."""
        return int(min(UNLIMITED, max(0, self.n_moves - counts.n_moves)))


class Training:
    """A network that learns; it goes on from its last checkpoint.

    Parameters
    ----------
    name : str
        Of the network.
    settings : TrainingSettings
        What it learns with.
    budget : TrainingBudget
        When it is done.
    jobs : int
        How many threads.

    Raises
    ------
    InputError
        If there is a network of this name with other settings.
    RunError
        If there is too little memory, or the checkpoint cannot be read.
    """

    def __init__(
        self, name: str, settings: TrainingSettings, budget: TrainingBudget, jobs: int
    ) -> None:
        n_weights = n_weights_of(settings.patterns)
        check_memory(settings)
        self.name, self.settings, self.budget, self.jobs = name, settings, budget, jobs
        self.m = n_looked_up(settings.patterns)
        self.initial = settings.optimism / self.m
        self.weights = np.zeros(n_weights, np.float32)
        if self.initial:
            self.weights[:] = self.initial
        self.coherence = np.zeros((n_weights if settings.is_coherent else 0, 2), np.float32)
        self.counts = Counts()
        self.recent: deque[tuple[int, float]] = deque()
        self.lock = threading.Lock()
        self.batch = 1
        if self.checkpoint.exists():
            self.counts = load(self.checkpoint, settings, self.weights, self.coherence)
        self.next_game = self.counts.n_games
        self.saved_at, self.saved_games = time.monotonic(), self.counts.n_games
        self.seconds_to_save = 0.0
        self.learn_batch(WorkSpace(1, self.m), 0, 0)  # compiled

    @property
    def folder(self) -> Path:
        """Where the network is kept."""
        return folder_of(self.name)

    @property
    def checkpoint(self) -> Path:
        """Path of its checkpoint."""
        return self.folder / CHECKPOINT

    @property
    def is_done(self) -> bool:
        """Whether its budget is spent."""
        return self.budget.share(self.counts) >= 1.0

    @property
    def recent_score(self) -> float:
        """Mean score of the last thousand games; NaN before the first."""
        n = sum(each for each, _ in self.recent)
        return sum(score for _, score in self.recent) / n if n else math.nan

    def run(self, show: Callable[[], None]) -> None:
        """Train until the budget is spent, or an interrupt; ``show`` is called now and then.

        Raises
        ------
        KeyboardInterrupt
            After an interrupt, when a checkpoint is written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with interrupt.deferred(), ThreadPoolExecutor(self.jobs) as threads:
            spaces = [WorkSpace(MOST_MOVES, self.m) for _ in range(self.jobs)]
            while not (self.is_done or interrupt.requested()):
                until = time.monotonic() + ROUND_SECONDS
                playing = [threads.submit(self.play_until, until, each) for each in spaces]
                while wait(playing, LOOK_SECONDS).not_done:
                    show()
                for each in playing:
                    each.result()
                if time.monotonic() - self.saved_at >= max(
                    CHECKPOINT_SECONDS, self.seconds_to_save / LARGEST_SHARE
                ):
                    self.save()
            if self.counts.n_games > self.saved_games:
                self.save()

    def play_until(self, until: float, space: "WorkSpace") -> None:
        """Learn from one batch of games after the other; runs in a thread."""
        while time.monotonic() < until and not (self.is_done or interrupt.requested()):
            with self.lock:
                first, n = self.next_game, self.batch
                self.next_game += n
            began = time.thread_time()
            n_games, n_moves, score = self.learn_batch(space, first, n)
            seconds = time.thread_time() - began
            with self.lock:
                self.counts.n_games += n_games
                self.counts.n_moves += n_moves
                self.counts.cpu_seconds += seconds
                self.batch = max(1, int(n * min(2.0, BATCH_SECONDS / max(seconds, 1e-6))))
                self.recent.append((n_games, score))
                while sum(each for each, _ in self.recent) - self.recent[0][0] >= MOST_RECENT:
                    self.recent.popleft()

    def learn_batch(self, space: "WorkSpace", first: int, n: int) -> tuple[int, int, float]:
        """Learn from ``n`` games; return their number, that of their moves, and summed score."""
        return learn(
            NETWORKS[self.settings.patterns](self.weights),
            self.coherence,
            row_tables(),
            np.uint64(self.settings.seed),
            first,
            n,
            self.budget.moves_left(self.counts),
            self.settings.rate,
            self.settings.decay,
            self.settings.is_coherent,
            space.path,
            space.rewards,
            space.indices,
        )

    def save(self) -> None:
        """Write a checkpoint."""
        began = time.monotonic()
        save(
            self.checkpoint,
            self.settings,
            self.counts,
            self.initial,
            self.weights,
            self.coherence,
        )
        self.saved_at, self.saved_games = time.monotonic(), self.counts.n_games
        self.seconds_to_save = self.saved_at - began

    def publish(self) -> TrainedNetwork:
        """Write the weights and then the manifest; weights of before are deleted."""
        digest = digest_of_weights(self.weights)
        path = self.folder / weights_name(digest)
        if not path.exists():
            with atomic_write(path) as temporary, temporary.open("wb") as file:
                np.save(file, self.weights, allow_pickle=False)
        network = TrainedNetwork(
            self.name, plain_values(self.settings), **vars(self.counts), digest=digest
        )
        write_json({**network.to_json(), "run": provenance()}, self.folder / MANIFEST)
        for each in self.folder.glob(weights_name("*")):
            if each != path:
                each.unlink()
        return network


class WorkSpace:
    """A thread's arrays for one game."""

    def __init__(self, n_moves: int, m: int) -> None:
        self.path = np.empty(n_moves, np.uint64)
        self.rewards = np.empty(n_moves, np.float32)
        self.indices = np.empty(m, np.uint64)


def check_memory(settings: TrainingSettings) -> None:
    """Refuse, by RunError, a training that does not fit into the memory that is free."""
    arrays = 3 if settings.is_coherent else 1
    needed = arrays * FLOAT_BYTES * n_weights_of(settings.patterns)
    free = free_memory()
    if needed > free:
        raise RunError(
            f"memory: a training of {settings.patterns} by {settings.method} takes "
            f"{needed / 1e6:,.0f} MB, {free / 1e6:,.0f} MB are free"
        )


def free_memory() -> float:
    """Return how many bytes programs may still ask for; infinity if the system does not say."""
    info = Path("/proc/meminfo")
    if info.exists():
        for line in info.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    return math.inf
