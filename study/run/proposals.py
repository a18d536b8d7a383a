"""Proposals: a sampler at work on a copy of the study, in a thread, while games are played.

The copy is in memory and holds what samplers may know. It changes only between proposals, so that a
sampler sees one consistent state; and only one thread writes the study itself.

With one worker, a proposal's number fixes what it knows: the proposal of trial t knows the results
of all trials up to t − 2, and trial t − 1 as one in flight, whether or not its last game has come
back. So a study that was killed and resumed proposes exactly what an uninterrupted one would.

Where many trials are in flight, several are proposed at a time. Each knows those before it as in
flight. Together they know the study as it was when the first was asked for, and their random
numbers are named by the first one's number.
"""

import copy
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from study.experiments.space import Space
from study.samplers.base import ModelSampler
from study.store.trial_games import trial_id

# Trials in flight from which on several are proposed at a time; a workstation has fewer.
MANY_IN_FLIGHT = 16
LEAST_OF_MANY, MOST_OF_MANY = 8, 32


def n_at_a_time(in_flight: float) -> int:
    """Return how many trials to propose at a time, given how many are in flight.

    One where few are. Else an eighth of them, so that each knows hardly less than a single one
    would; at least 8, which take no longer than a single one, and at most 32, which share the fit's
    cost well enough.
    """
    if in_flight < MANY_IN_FLIGHT:
        return 1
    return min(max(int(in_flight / 8), LEAST_OF_MANY), MOST_OF_MANY)


@dataclass(frozen=True)
class Proposal:
    """The parameters of the next trial.

    Attributes
    ----------
    number : int
        The trial's.
    params : dict
        Its parameters.
    notes : dict
        What the sampler keeps with the trial (NSGA-II its generations), as system attributes.
    """

    number: int
    params: dict[str, Any]
    notes: dict[str, Any]


@dataclass(frozen=True)
class FinishedTrial:
    """A trial that has ended.

    Attributes
    ----------
    number : int
        The trial's.
    values : sequence of float, optional
        Its objectives; None if it failed.
    attributes : mapping
        Its user attributes.
    error : str
        Why it failed.
    """

    number: int
    values: Sequence[float] | None
    attributes: Mapping[str, Any]
    error: str = ""


class Proposals:
    """Asks a sampler for the next trial's parameters, ahead of time.

    Parameters
    ----------
    trials : iterable of FrozenTrial
        The study so far, from trial 0 on, waiting ones included. A running trial that lacks
        parameters was interrupted before its first game: it is proposed anew.
    directions : sequence of StudyDirection
        Of its objectives.
    space : Space
        The search space.
    sampler_of : callable
        Returns the sampler for a trial's number.
    in_turn : bool
        Whether a proposal's number fixes what it knows (for a single worker).

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
        in_turn: bool,
    ) -> None:
        self.distributions = space.distributions()
        self.sampler_of = sampler_of
        self.in_turn = in_turn
        self.storage = InMemoryStorage()
        self.copy = optuna.create_study(
            storage=self.storage,
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),  # each trial has its own
        )
        self.news: list[FinishedTrial] = []
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="proposals")
        self.future: Future[list[Proposal]] | None = None
        self.seconds: list[float] = []
        known = [in_space(self.asked_again(trial), self.distributions) for trial in trials]
        number = first_waiting(known)
        for trial in known:
            if in_turn and trial.state.is_finished() and trial.number >= number - 1:
                self.copy.add_trial(unfinished(trial))
                self.learn(FinishedTrial(trial.number, trial.values, trial.user_attrs))
            else:
                self.copy.add_trial(trial)

    def asked_again(self, trial: FrozenTrial) -> FrozenTrial:
        """Return a running trial that lacks parameters as one that waits; any other as it is."""
        if trial.state != TrialState.RUNNING or set(trial.params) == set(self.distributions):
            return trial
        fixed = {**trial.system_attrs.get("fixed_params", {}), **trial.params}
        notes = {**trial.system_attrs, "fixed_params": fixed}
        waiting = create_trial(state=TrialState.WAITING, system_attrs=notes)
        waiting.number = trial.number
        return waiting

    def learn(self, trial: FinishedTrial) -> None:
        """Take note of a trial that has ended; proposals begun from now on know of it."""
        self.news.append(trial)

    def update(self, number: int) -> None:
        """Bring the copy to what the proposal of trial ``number`` may know."""
        news, self.news = self.news, []
        for trial in news:
            if self.in_turn and trial.number >= number - 1:
                self.news.append(trial)
                continue
            identifier = trial_id(self.copy, self.storage, trial.number)
            for key, value in trial.attributes.items():
                self.storage.set_trial_user_attr(identifier, key, value)
            state = TrialState.COMPLETE if trial.values else TrialState.FAIL
            self.storage.set_trial_state_values(identifier, state, trial.values)

    def next_number(self) -> int:
        """Return the number of the next trial: of the first that waits, or a new one."""
        return first_waiting(self.copy.get_trials(deepcopy=False))

    def begin(self, q: int = 1) -> None:
        """Start to work on the next trials' proposals: of those that wait, or ``q`` new ones."""
        trials = self.copy.get_trials(deepcopy=False)
        waiting = [trial.number for trial in trials if trial.state == TrialState.WAITING]
        numbers = waiting[:q] or list(range(len(trials), len(trials) + q))
        self.update(numbers[0])
        self.future = self.thread.submit(self.ask, numbers, not waiting)

    def ask(self, numbers: Sequence[int], are_new: bool) -> list[Proposal]:
        """Ask the sampler for some trials, one after the other; runs in the thread."""
        began = time.thread_time()
        sampler = self.sampler_of(numbers[0])
        if are_new and len(numbers) > 1 and isinstance(sampler, ModelSampler):
            sampler.plan(self.copy, numbers[0], len(numbers))
            planned = set(sampler.planned)
        else:
            planned = {numbers[0]}
        proposals = []
        for number in numbers:
            self.copy.sampler = sampler if number in planned else self.sampler_of(number)
            proposals.append(self.ask_one(number, are_new))
        if are_new:
            self.seconds += [(time.thread_time() - began) / len(numbers)] * len(numbers)
        return proposals

    def ask_one(self, number: int, is_new: bool) -> Proposal:
        """Ask the copy's sampler for a trial."""
        before = {} if is_new else self.copy.get_trials(deepcopy=False)[number].system_attrs
        trial = self.copy.ask(self.distributions)
        after = self.copy.get_trials(deepcopy=False)[number].system_attrs
        notes = {key: value for key, value in after.items() if key not in before}
        return Proposal(trial.number, trial.params, notes)

    def wait(self, seconds: float) -> None:
        """Wait for the proposals in work, but not for long."""
        if self.future is not None:
            wait([self.future], timeout=seconds)

    def take(self) -> list[Proposal]:
        """Return the proposals that are ready, in the order of their numbers."""
        assert self.future is not None
        proposals = self.future.result()
        self.future = None
        return proposals

    def close(self) -> None:
        """End the thread, after the proposals in work; nobody waits for that."""
        self.thread.shutdown(wait=False, cancel_futures=True)


def in_space(trial: FrozenTrial, distributions: Mapping[str, BaseDistribution]) -> FrozenTrial:
    """Return a trial as one of today's space, if the study was widened since.

    Samplers search the parameters that have the same distribution in all trials.
    """
    known = {name: distributions[name] for name in trial.distributions if name in distributions}
    if known == trial.distributions:
        return trial
    trial = copy.copy(trial)
    trial.distributions = {**trial.distributions, **known}
    return trial


def first_waiting(trials: Sequence[FrozenTrial]) -> int:
    """Return the number of the first trial that waits; the next new one if none does."""
    waiting = (trial.number for trial in trials if trial.state == TrialState.WAITING)
    return min(waiting, default=len(trials))


def unfinished(trial: FrozenTrial) -> FrozenTrial:
    """Return a finished trial as it was before it ended."""
    return create_trial(
        state=TrialState.RUNNING,
        params=trial.params,
        distributions=trial.distributions,
        system_attrs=trial.system_attrs,
    )
