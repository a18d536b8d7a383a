"""Proposals: a sampler computes the next trials while games are played.

The sampler works in a thread. On a cluster, it works in a separate process, so that the loop of
games does not wait for Python's global lock. The sampler sees a copy of the study in memory. The
copy changes only between proposals, so the sampler always sees a consistent state. The sampler
never writes to the study.

With a single worker on this machine, the number of a trial determines which results its proposal
knows: the proposal of trial t knows the results of all trials up to t − 2. Trial t − 1 is always
treated as in flight (being played), even if its last game has come back. So a study that was killed
and resumed proposes exactly what an uninterrupted study would.

If many trials are in flight, several trials are proposed at a time. All of these proposals know the
study as it was when they were requested, and each treats the trials proposed before it as in
flight. The random numbers of all these proposals are derived from the number of the first trial.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import optuna
from joblib.externals.loky import ProcessPoolExecutor
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from thetafront.study.experiments.space import Space
from thetafront.study.log.point import Point
from thetafront.study.log.tables import SEARCH
from thetafront.study.run.worker import begin_worker
from thetafront.study.run.workers import end_pool, start_trackers, submitted
from thetafront.study.samplers.base import ModelSampler

# With at least this many trials in flight, several are proposed at a time; a workstation has fewer.
MANY_IN_FLIGHT = 16
MIN_OF_MANY, MAX_OF_MANY = 8, 128


@dataclass(frozen=True)
class ProposalBatch:
    """The proposals of a sampler for one request."""

    proposals: list[Point]  # in the order of their numbers
    seconds: float  # CPU seconds that all of them took


class StaleError(Exception):
    """The copy does not match the study."""


class Proposer:
    """A copy of a study, and its sampler.

    ``trials`` are the study's trials so far, beginning with trial 0, including waiting trials.
    ``sampler_of`` returns the sampler for a trial's number.
    """

    def __init__(
        self,
        trials: Iterable[FrozenTrial],
        directions: list[StudyDirection],
        space: Space,
        sampler_of: Callable[[int], BaseSampler],
    ) -> None:
        self.space, self.distributions = space, space.distributions()
        self.sampler_of = sampler_of
        self.storage = InMemoryStorage()
        self.copy = optuna.create_study(
            storage=self.storage,
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),  # unused: `ask` sets others
        )
        for trial in trials:
            self.copy.add_trial(trial)

    def answer(self, news: Sequence[FrozenTrial], numbers: Sequence[int]) -> ProposalBatch:
        """Record in the copy which trials have ended, and propose waiting or new trials."""
        began = time.thread_time()
        self.update(news)
        return ProposalBatch(self.ask(numbers), time.thread_time() - began)

    def update(self, news: Sequence[FrozenTrial]) -> None:
        """Bring the copy up to date."""
        n_trials = len(self.copy.get_trials(deepcopy=False))
        study = self.storage.get_study_id_from_name(self.copy.study_name)
        for trial in news:
            if trial.number >= n_trials:
                raise StaleError(
                    f"trial {trial.number} has ended, but the process's copy of the study has "
                    f"{n_trials} trials"
                )
            identifier = self.storage.get_trial_id_from_study_id_trial_number(study, trial.number)
            for key, value in trial.user_attrs.items():
                self.storage.set_trial_user_attr(identifier, key, value)
            self.storage.set_trial_state_values(identifier, trial.state, trial.values)

    def ask(self, numbers: Sequence[int]) -> list[Point]:
        """Ask the sampler for some trials, one after the other; all are waiting, or all are new."""
        sampler = self.sampler_of(numbers[0])
        are_new = numbers[0] >= len(self.copy.get_trials(deepcopy=False))
        if are_new and len(numbers) > 1 and isinstance(sampler, ModelSampler):
            sampler.plan(self.copy, numbers[0], len(numbers))
            planned = set(sampler.planned)
        else:
            planned = {numbers[0]}
        proposals = []
        for number in numbers:
            self.copy.sampler = sampler if number in planned else self.sampler_of(number)
            proposals.append(self.ask_one(number))
        return proposals

    def ask_one(self, number: int) -> Point:
        """Ask the sampler for a trial; StaleError if the copy gives the trial another number."""
        trials = self.copy.get_trials(deepcopy=False)
        before = trials[number].system_attrs if number < len(trials) else {}
        trial = self.copy.ask()
        params: dict[str, Any] = {}
        for each in self.space.in_order:
            if self.space.is_active(each, params):
                value = suggested(trial, each.name, self.distributions[each.name])
                params[each.name] = each.clip(value)  # 0.3, where optuna returns 0.1 + 2·0.1
        if trial.number != number:
            raise StaleError(
                f"trial {number} requested, but the process's copy of the study proposes "
                f"{trial.number}"
            )
        after = self.copy.get_trials(deepcopy=False)[number].system_attrs
        notes = {key: value for key, value in after.items() if key not in before}
        return Point(params, phase=SEARCH, number=number, notes=notes)


def suggested(trial: optuna.Trial, name: str, kind: BaseDistribution) -> Any:
    """Return the value that a trial's sampler chooses for a parameter."""
    if isinstance(kind, CategoricalDistribution):
        return trial.suggest_categorical(name, kind.choices)
    if isinstance(kind, IntDistribution):
        return trial.suggest_int(name, kind.low, kind.high, step=kind.step, log=kind.log)
    assert isinstance(kind, FloatDistribution)
    return trial.suggest_float(name, kind.low, kind.high, step=kind.step, log=kind.log)


def unfinished(trial: FrozenTrial) -> FrozenTrial:
    """Return a finished trial as it was before it ended."""
    return create_trial(
        state=TrialState.RUNNING,
        params=trial.params,
        distributions=trial.distributions,
        system_attrs=trial.system_attrs,
    )


def n_at_a_time(in_flight: float, missing: int = 0) -> int:
    """Return how many trials to propose at a time.

    If few trials are in flight, the number is one. Otherwise it is an eighth of the trials in
    flight, so that each proposal knows nearly as much as if it were proposed alone. But it is at
    least 8, because proposing 8 trials takes no longer than proposing one. If more trials are
    missing, workers are faster than proposals. Then all missing trials are proposed together, since
    they share the time of the fit. The maximum is half of the number in flight, but never more than
    128.

    ``in_flight`` trials are in flight when all workers are busy; the queue lacks ``missing``.
    """
    if in_flight < MANY_IN_FLIGHT:
        return 1
    least, most = max(int(in_flight / 8), MIN_OF_MANY), max(int(in_flight / 2), MIN_OF_MANY)
    return min(max(least, missing), most, MAX_OF_MANY)


class Proposals:
    """Asks a sampler for the next trials' parameters, ahead of time.

    ``trials`` and ``sampler_of`` are those of a :class:`Proposer`. With ``deterministic``, a
    trial's number determines which results its proposal knows (for a single worker). With
    ``in_subprocess``, the sampler works in a separate process.
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
        self.seconds: list[float] = []  # CPU seconds of each proposal, except those of the design
        known = list(trials)
        self.n_trials = len(known)
        self.waiting = deque(n for n, each in enumerate(known) if each.state == TrialState.WAITING)
        self.are_new = False
        if deterministic:
            for number, trial in enumerate(known):
                if trial.state.is_finished() and number >= self.next_number() - 1:
                    known[number] = unfinished(trial)
                    self.learn(trial)
        self.proposer = Proposer(known, directions, space, sampler_of)
        if in_subprocess:
            start_trackers()
            apart = os.getpid(), self.proposer
            self.pool: Any = ProcessPoolExecutor(1, initializer=begin_apart, initargs=apart)
            self.submit: Callable[..., Future[ProposalBatch]] = partial(
                submitted, self.pool, answer_apart
            )
            self.submit((), ())  # start it while the design is played
        else:
            self.pool = ThreadPoolExecutor(1, thread_name_prefix="proposals")
            self.submit = partial(self.pool.submit, self.proposer.answer)

    def learn(self, trial: FrozenTrial) -> None:
        """Record a trial that has ended; later proposals know its result."""
        self.news.append(trial)

    def known_to(self, number: int) -> list[FrozenTrial]:
        """Return the ended trials that the proposal of trial ``number`` may know.

        The others are kept for later proposals.
        """
        known = [each for each in self.news if not self.deterministic or each.number < number - 1]
        self.news = [each for each in self.news if self.deterministic and each.number >= number - 1]
        return known

    def next_number(self) -> int:
        """Return the number of the next trial: the first waiting trial, or a new one."""
        return self.waiting[0] if self.waiting else self.n_trials

    def begin(self, q: int = 1) -> None:
        """Start to compute up to ``q`` proposals: for waiting trials, or else for new ones."""
        self.are_new = not self.waiting
        if self.are_new:
            numbers = list(range(self.n_trials, self.n_trials + q))
            self.n_trials += q
        else:
            numbers = [self.waiting.popleft() for _ in range(min(q, len(self.waiting)))]
        self.future = self.submit(self.known_to(numbers[0]), numbers)

    def take(self) -> list[Point]:
        """Return the proposals that are ready, in the order of their numbers.

        BrokenProcessPool is raised if the process has died, and StaleError if its copy does not
        match the study. In both cases, the study must be read again.
        """
        assert self.future is not None
        future, self.future = self.future, None
        answer = future.result()
        if self.are_new:
            n = len(answer.proposals)
            self.seconds += [answer.seconds / n] * n
        return answer.proposals

    def close(self) -> None:
        """Let the thread end after its current proposals, without waiting; or end the process."""
        pool, self.pool = self.pool, None
        if isinstance(pool, ThreadPoolExecutor):
            pool.shutdown(wait=False, cancel_futures=True)
        elif pool is not None:
            end_pool(pool, at_once=True)


APART: list[Proposer] = []
"""The proposer, if this process is the separate process of a sampler; otherwise empty."""


def begin_apart(parent: int, proposer: Proposer) -> None:
    """Initialize the separate process of a sampler."""
    begin_worker(parent)
    APART[:] = [proposer]


def answer_apart(news: Sequence[FrozenTrial], numbers: Sequence[int]) -> ProposalBatch:
    """Propose trials in a separate process; a call without numbers only starts the process."""
    return APART[0].answer(news, numbers) if numbers else ProposalBatch([], 0.0)
