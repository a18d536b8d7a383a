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
from study.errors import InputError, RunError
from study.store.atomic import atomic_write
from study.store.manifest import earlier_manifest, provenance, write_manifest
from study.train.checkpoint import CHECKPOINT, Counts, load, save

BATCH_SECONDS = 0.1  # of games that a thread plays before it looks at the clock
ROUND_SECONDS = 5.0
LOOK_SECONDS = 0.25
CHECKPOINT_SECONDS = 60.0
LARGEST_SHARE = 0.1  # of the time that checkpoints may take
MOST_RECENT = 1000  # games, of which the mean score is told
FLOAT_BYTES = 4
SCRATCH_BYTES = 2  # of a weight, for which of them a checkpoint keeps
UNLIMITED = 1 << 62
DIVERGED = "weights grew beyond all bounds, and nothing of that is kept; a smaller --rate is needed"


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
        if self.has_lost_its_checkpoint:
            raise InputError(
                f"name: {name!r} given, a network without its {CHECKPOINT}, which cannot go on; "
                "another name allowed"
            )
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
    def has_lost_its_checkpoint(self) -> bool:
        """Whether there is a trained network that cannot be trained further."""
        return (self.folder / MANIFEST).exists() and not self.checkpoint.exists()

    @property
    def is_done(self) -> bool:
        """Whether its budget is spent."""
        return self.budget.share(self.counts) >= 1.0

    @property
    def recent_scores(self) -> tuple[int, float]:
        """How many games there were last, a thousand or some more, and their mean score."""
        with self.lock:
            n, total = sum(each for each, _ in self.recent), sum(each for _, each in self.recent)
        return n, total / n if n else math.nan

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
                if self.recent and not self.recent[-1][1]:
                    raise RunError(DIVERGED)
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
        """Write a checkpoint; RunError if weights are no numbers any more."""
        began = time.monotonic()
        if not np.isfinite(self.weights).all():
            raise RunError(DIVERGED)
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
        network = TrainedNetwork(
            self.name, plain_values(self.settings), **vars(self.counts), digest=digest
        )
        path, manifest = network.weights_file, self.folder / MANIFEST
        with atomic_write(path) as temporary, temporary.open("wb") as file:
            np.save(file, self.weights, allow_pickle=False)
        if earlier_manifest(manifest).get("digest") != digest:
            write_manifest({**network.to_json(), **provenance(), "jobs": self.jobs}, manifest)
        names = weights_name("*")
        for each in (*self.folder.glob(names), *self.folder.glob(f".{names}*")):
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
    needed = (arrays * FLOAT_BYTES + SCRATCH_BYTES) * n_weights_of(settings.patterns)
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
