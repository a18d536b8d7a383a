"""Proposals: a sampler computes the next trials while games are played.

It works in a thread. On a cluster, where the loop needs Python's lock for itself, it works in a
process of its own.

With one worker of this machine, a proposal's number fixes what it knows: the proposal of trial t
knows the results of all trials up to t − 2, and trial t − 1 as one in flight, whether or not its
last game has come back. So a study that was killed and resumed proposes exactly what an
uninterrupted one would.

Where many trials are in flight, several are proposed at a time. Each knows those before it as in
flight. All of them know the study as it was when the first was requested, and their random numbers
are derived from the first one's number.
"""

import math
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor, process_executor
from optuna.samplers import BaseSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from thetafront.study import interrupt
from thetafront.study.experiments.space import Space
from thetafront.study.log.point import Point
from thetafront.study.run.proposer import ProposalBatch, Proposer, unfinished
from thetafront.study.run.worker import begin_worker
from thetafront.study.run.workers import end_pool, start_trackers

# Trials in flight from which on several are proposed at a time; a workstation has fewer.
MANY_IN_FLIGHT = 16
MIN_OF_MANY, MAX_OF_MANY = 8, 128


def n_at_a_time(in_flight: float, missing: int = 0) -> int:
    """Return how many trials to propose at a time.

    One if few are in flight. Otherwise an eighth of these, so that each knows hardly less than a
    single one would, and at least 8, which take no longer than one. If more are missing, workers
    are faster than proposals: then all missing ones, which share the cost of the fit, but at most
    half of those in flight, and at most 128.

    Parameters
    ----------
    in_flight : float
        Trials in flight when all workers are busy.
    missing : int
        Trials that the queue lacks.
    """
    if in_flight < MANY_IN_FLIGHT:
        return 1
    least, most = max(int(in_flight / 8), MIN_OF_MANY), max(int(in_flight / 2), MIN_OF_MANY)
    return min(max(least, missing), most, MAX_OF_MANY)


class Proposals:
    """Asks a sampler for the next trials' parameters, ahead of time.

    Parameters
    ----------
    trials : iterable of FrozenTrial
        The study so far, from trial 0 on, waiting ones included.
    directions : sequence of StudyDirection
        Of its objectives.
    space : Space
        The search space.
    sampler_of : callable
        Returns the sampler for a trial's number.
    deterministic : bool
        Whether a proposal's number fixes what it knows (for a single worker).
    in_subprocess : bool
        Whether the sampler works in a process of its own.

    Attributes
    ----------
    seconds : list of float
        CPU seconds that each proposal took, apart from those of the design.
    """

    def __init__(
        self,
        trials: Iterable[FrozenTrial],
        directions: list[StudyDirection],
        space: Space,
        sampler_of: Callable[[int], BaseSampler],
        deterministic: bool,
        in_subprocess: bool = False,
    ) -> None:
        self.deterministic = deterministic
        self.news: list[FrozenTrial] = []
        self.future: Future[ProposalBatch] | None = None
        self.seconds: list[float] = []
        known = list(trials)
        self.n_trials = len(known)
        states = [trial.state for trial in known]
        self.waiting = deque(n for n, state in enumerate(states) if state == TrialState.WAITING)
        self.are_new = False
        if deterministic:
            for number, trial in enumerate(known):
                if trial.state.is_finished() and number >= self.next_number() - 1:
                    known[number] = unfinished(trial)
                    self.learn(trial)
        self.proposer = Proposer(known, directions, space, sampler_of)
        self.process: Any = None
        self.thread: ThreadPoolExecutor | None = None
        if in_subprocess:
            start_trackers()
            self.process = ProcessPoolExecutor(
                1, initializer=begin_apart, initargs=(os.getpid(), self.proposer)
            )
            self.submit(answer_apart, (), (), False)  # it starts while the design is played
        else:
            self.thread = ThreadPoolExecutor(1, thread_name_prefix="proposals")

    def learn(self, trial: FrozenTrial) -> None:
        """Take note of a trial that has ended; proposals begun from now on know of it."""
        self.news.append(trial)

    def known_to(self, number: int) -> list[FrozenTrial]:
        """Return the ended trials that the proposal of trial ``number`` may know.

        Keep the others.
        """
        known = [each for each in self.news if not self.deterministic or each.number < number - 1]
        self.news = [each for each in self.news if self.deterministic and each.number >= number - 1]
        return known

    def next_number(self) -> int:
        """Return the number of the next trial: of the first that waits, or a new one."""
        return self.waiting[0] if self.waiting else self.n_trials

    def begin(self, q: int = 1) -> None:
        """Start to compute proposals for the next trials: those that wait, or ``q`` new ones."""
        self.are_new = not self.waiting
        if self.are_new:
            numbers = list(range(self.n_trials, self.n_trials + q))
            self.n_trials += q
        else:
            numbers = [self.waiting.popleft() for _ in range(min(q, len(self.waiting)))]
        asked = self.known_to(numbers[0]), numbers, self.are_new
        if self.thread is not None:
            self.future = self.thread.submit(self.proposer.answer, *asked)
        else:
            self.future = self.submit(answer_apart, *asked)

    def submit(
        self, function: Callable[..., ProposalBatch], *arguments: Any
    ) -> "Future[ProposalBatch]":
        """Hand something to the process; its death is the future's exception."""
        try:
            with interrupt.kept_from_children():
                return self.process.submit(function, *arguments)  # type: ignore[no-any-return]
        except BrokenProcessPool as error:
            future: Future[ProposalBatch] = Future()
            future.set_exception(error)
            return future

    def wait(self, seconds: float) -> None:
        """Wait briefly for the proposals that are being computed."""
        if self.future is not None:
            wait([self.future], timeout=seconds)

    def take(self) -> list[Point]:
        """Return the proposals that are ready, in the order of their numbers.

        BrokenProcessPool or StaleError if the process has died: the study must be read again.
        """
        assert self.future is not None
        future, self.future = self.future, None
        answer = future.result()
        if self.are_new:
            n = len(answer.proposals)
            self.seconds += [answer.seconds / n] * n
        return answer.proposals

    def close(self) -> None:
        """End the thread after its current proposals, without waiting; or end the process."""
        if self.thread is not None:
            self.thread.shutdown(wait=False, cancel_futures=True)
        elif self.process is not None:
            process, self.process = self.process, None
            end_pool(process, at_once=True)


APART: list[Proposer] = []
"""The proposer of this process, if it is one of its own."""


def begin_apart(parent: int, proposer: Proposer) -> None:
    """Initialize a process that proposes."""
    begin_worker(parent)
    # Else the pool puts another process with the first copy in place of one that grows.
    process_executor._MAX_MEMORY_LEAK_SIZE = math.inf
    APART[:] = [proposer]


def answer_apart(
    news: Sequence[FrozenTrial], numbers: Sequence[int], are_new: bool
) -> ProposalBatch:
    """Propose trials in a separate process; a request for none only starts it."""
    return APART[0].answer(news, numbers, are_new) if numbers else ProposalBatch([], 0.0)
