"""Training of one network: rounds of games in threads, checkpoints in between, and its files.

With one thread, the settings and the number of games determine every bit of a network. Several
threads share the weights without locks. This is faster, but no two runs then give the same
network.

Training may end with cooling: in its last part, the learning rate falls in steps of equal numbers
of moves. The checkpoint is written before cooling. So if the network is trained further, training
continues from that state, and cools again at its end.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import psutil

from thetafront.agents.agent import digits
from thetafront.agents.parameters import plain_values
from thetafront.agents.twenty48.ntuple.learned import UNLIMITED, learn_games
from thetafront.agents.twenty48.ntuple.learning import Carousel, WorkSpace, new_carousel, work_space
from thetafront.agents.twenty48.ntuple.network import (
    MANIFEST,
    TrainedNetwork,
    network_folder,
    trained_network,
    weights_name,
)
from thetafront.agents.twenty48.ntuple.patterns import (
    Weights,
    n_looked_up,
    turned_tables,
    without_parts,
)
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.study import interrupt
from thetafront.study.errors import RunError
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.manifest import earlier_manifest, provenance, write_manifest
from thetafront.study.train.checkpoint import TrainingCounts, load, save

CHECKPOINT = "checkpoint.npz"
BATCH_SECONDS = 0.1  # of games that a thread plays before it reads the clock
ROUND_SECONDS = 5.0
POLL_INTERVAL = 0.25
CHECKPOINT_SECONDS = 60.0
MAX_SHARE = 0.1  # share of the time that checkpoints may take
MAX_GAMES = 1 << 20  # of a batch
N_RECENT = 1000  # games whose mean score is shown
FLOAT_BYTES = 4
SCRATCH_BYTES = 2  # per weight, to select the weights that a checkpoint keeps
N_STEPS = 10  # of cooling
COLDEST = 0.1  # the learning rate at the end of cooling, as a share of the initial one
DIVERGED = "the weights diverged and were not stored; use a smaller --rate"


class DivergedError(RunError):
    """The weights have diverged."""


@dataclass(frozen=True)
class TrainingBudget:
    """When a training is done: after a total of moves, or of CPU seconds of all threads."""

    cpu_seconds: float = math.inf
    n_moves: float = math.inf

    def share(self, counts: TrainingCounts) -> float:
        """Return the share of the budget that is spent: 1 or more when it is used up."""
        return max(counts.cpu_seconds / self.cpu_seconds, counts.n_moves / self.n_moves)

    def before(self, cooling: float) -> "TrainingBudget":
        """Return the budget of the part before cooling."""
        part = 1.0 - cooling
        n_moves = self.n_moves if math.isinf(self.n_moves) else max(1, round(part * self.n_moves))
        return TrainingBudget(part * self.cpu_seconds, n_moves)


class Training:
    """A network in training; it continues from its last checkpoint.

    If the file ``checkpoint`` exists, the training continues from it. ``budget`` says when the
    training is done, cooling included. ``cooling`` is the share of the moves, below 1, in which the
    learning rate falls. InputError if the checkpoint was written with other settings; RunError if
    there is too little memory, or the checkpoint cannot be read.
    """

    def __init__(
        self,
        checkpoint: Path,
        settings: TrainingSettings,
        budget: TrainingBudget,
        jobs: int,
        cooling: float = 0.0,
    ) -> None:
        check_memory(settings)
        self.checkpoint, self.settings = checkpoint, settings
        self.jobs, self.cooling = jobs, cooling
        self.total, self.budget = budget, budget.before(cooling)  # of the current part
        self.learning = settings  # with the current rate
        self.m = n_looked_up(settings.patterns)
        self.weights, self.coherence = settings.new_weights(), settings.new_coherence()
        self.carousel = new_carousel(settings.stages)
        self.counts = TrainingCounts()
        self.recent: deque[tuple[int, float]] = deque()
        self.lock = threading.Lock()
        self.batch = 1
        if checkpoint.exists():
            self.counts = load(checkpoint, settings, *self.arrays)
        self.n_warm = self.counts.n_moves  # moves before cooling
        self.next_game = 0
        self.saved_at, self.saved_games = time.monotonic(), self.counts.n_games
        self.seconds_to_save = 0.0
        self.learn_batch(work_space(self.m, 1), 0, 0)  # compiles

    @property
    def is_done(self) -> bool:
        """Whether the budget of the current part is spent."""
        return self.budget.share(self.counts) >= 1.0

    @property
    def recent_scores(self) -> tuple[int, float]:
        """The number of recent games, a thousand or somewhat more, and their mean score."""
        with self.lock:
            n, total = sum(each for each, _ in self.recent), sum(each for _, each in self.recent)
        return n, total / n if n else math.nan

    @property
    def moves_with_cooling(self) -> int:
        """Total number of moves, cooling included; training with this budget gives this network."""
        return round(self.n_warm / (1.0 - self.cooling))

    def cool(self, show: Callable[[], None]) -> None:
        """Continue learning while the learning rate falls; raises the same errors as ``run``."""
        more = self.moves_with_cooling - self.n_warm
        for step in range(N_STEPS):
            fallen = (1.0 - COLDEST) * (step + 0.5) / N_STEPS
            self.learning = replace(self.settings, rate=(1.0 - fallen) * self.settings.rate)
            self.budget = TrainingBudget(n_moves=self.n_warm + more * (step + 1) // N_STEPS)
            self.run(show, is_kept=False)
        self.check_finite()

    def run(self, show: Callable[[], None], is_kept: bool = True) -> None:
        """Train until the budget is spent or an interrupt comes; ``show`` is called occasionally.

        Checkpoints are written only if ``is_kept``. KeyboardInterrupt after an interrupt, once a
        checkpoint has been written; DivergedError if weights are no longer finite.
        """
        # Batches of an earlier run may have reserved games without playing them.
        self.next_game = self.counts.n_games
        with interrupt.deferred(), ThreadPoolExecutor(self.jobs) as threads:
            spaces = [work_space(self.m) for _ in range(self.jobs)]
            while not (self.is_done or interrupt.requested()):
                until = time.monotonic() + ROUND_SECONDS
                playing = [threads.submit(self.play_until, until, each) for each in spaces]
                while wait(playing, POLL_INTERVAL).not_done:
                    show()
                for each in playing:
                    each.result()
                seconds = max(CHECKPOINT_SECONDS, self.seconds_to_save / MAX_SHARE)
                if is_kept and time.monotonic() - self.saved_at >= seconds:
                    self.save()
            if is_kept and self.counts.n_games > self.saved_games:
                self.save()
            if is_kept:
                self.n_warm = self.counts.n_moves

    def play_until(self, until: float, space: WorkSpace) -> None:
        """Learn from one batch of games after another; runs in a thread.

        DivergedError if a batch has games, but no moves.
        """
        while time.monotonic() < until and not (self.is_done or interrupt.requested()):
            with self.lock:
                first, n = self.next_game, self.batch
                self.next_game += n
            began = time.thread_time()
            n_games, n_moves, n_whole, score = self.learn_batch(space, first, n)
            seconds = time.thread_time() - began
            with self.lock:
                self.counts.n_games += n_games
                self.counts.n_moves += n_moves
                self.counts.cpu_seconds += seconds
                pace = min(2.0, BATCH_SECONDS / max(seconds, 1e-6))
                self.batch = min(max(1, int(n * pace)), MAX_GAMES)
                if n_whole:
                    self.recent.append((n_whole, score))
                while sum(each for each, _ in list(self.recent)[1:]) >= N_RECENT:
                    self.recent.popleft()
            if n_whole and not n_moves:
                raise DivergedError(DIVERGED)

    @property
    def arrays(self) -> tuple[Weights, Weights, Carousel]:
        """What learning changes."""
        return self.weights, self.coherence, self.carousel

    def learn_batch(self, space: WorkSpace, first: int, n: int) -> tuple[int, int, int, float]:
        """Learn from ``n`` games; return what the kernel returns."""
        most = int(min(UNLIMITED, max(0, self.budget.n_moves - self.counts.n_moves)))
        return learn_games(self.learning, *self.arrays, space, first, n, most)

    def forget(self) -> None:
        """Start over with an untrained network."""
        self.weights[:] = self.settings.first_weight
        self.coherence[:] = 0.0
        self.carousel.n_entered[:] = 0
        self.counts = TrainingCounts()

    def save(self) -> None:
        """Write a checkpoint; DivergedError if weights are no longer finite."""
        began = time.monotonic()
        self.check_finite()
        save(self.checkpoint, self.settings, self.counts, *self.arrays)
        self.saved_at, self.saved_games = time.monotonic(), self.counts.n_games
        self.seconds_to_save = self.saved_at - began

    def check_finite(self) -> None:
        """Raise DivergedError if weights are no longer finite."""
        if not np.isfinite(self.weights).all():
            raise DivergedError(DIVERGED)


def check_memory(settings: TrainingSettings) -> None:
    """Raise RunError if the arrays for training do not fit into the free memory."""
    arrays = 4 if settings.is_coherent else 2  # includes the reordered copy that is published
    arrays += settings.patterns != settings.patterns.played  # the copy that `without_parts` makes
    needed = (arrays * FLOAT_BYTES + SCRATCH_BYTES) * settings.n_weights
    free = psutil.virtual_memory().available
    if needed > free:
        raise RunError(
            f"memory: training {settings.patterns} by {settings.method} takes "
            f"{needed / 1e6:,.0f} MB, but only {free / 1e6:,.0f} MB are free"
        )


def is_published(training: Training, name: str) -> bool:
    """Return whether the network on disk needs no more training.

    It needs none if it has the same stages, and was cooled from the training's current state or the
    budget is spent.
    """
    found = earlier_manifest(network_folder(name) / MANIFEST)
    begin = found.get("moves_before_cooling", found.get("n_moves"))
    try:
        trained_network(name).check()
    except ValueError:
        return False
    if found["training"].get("stages", 1) != training.settings.stages:
        return False
    has_cooled = (begin, found.get("cooling", 0.0)) == (training.n_warm, training.cooling)
    return has_cooled or training.total.share(training.counts) >= 1.0


def publish(training: Training, name: str) -> TrainedNetwork:
    """Write a network's weights, then its manifest; earlier weights are deleted."""
    patterns = training.settings.patterns
    weights = turned_tables(patterns.played, without_parts(patterns, training.weights))
    digest = digits(weights.data)
    counts = training.counts
    network = TrainedNetwork(
        name,
        plain_values(training.settings),
        counts.n_games,
        counts.n_moves,
        counts.cpu_seconds,
        digest,
    )
    folder, path = network_folder(name), network.weights_file
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.save(file, weights, allow_pickle=False)
    if earlier_manifest(folder / MANIFEST).get("digest") != digest:
        what = {**network.to_json(), **provenance(), "jobs": training.jobs}
        what |= {"cooling": training.cooling, "moves_before_cooling": training.n_warm}
        what |= {"moves_to_repeat": training.moves_with_cooling}
        what |= {"moves_before_stages": counts.n_moves_before_stages}
        write_manifest(what, folder / MANIFEST)
    names = weights_name("*")
    for each in (*folder.glob(names), *folder.glob(f".{names}*")):
        if each != path:
            each.unlink()
    return network
