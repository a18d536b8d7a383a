"""Proposals: a sampler at work on a copy of the study, in a thread, while games are played.

The copy is in memory and holds what samplers may know. It changes only between proposals, so that a
sampler looks at one state of things; and the study itself is written by one thread alone.

With one worker, what a proposal knows is fixed by its number: trial t knows all trials up to t − 2, and
trial t − 1 as one in flight, whether or not its last game happens to be in already. So a study that was
killed and resumed proposes exactly what an unbroken one would.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.storages import InMemoryStorage
from optuna.trial import FrozenTrial, TrialState, create_trial

from study.experiments.space import Space
from study.store.trial_games import trial_id


class Preset(BaseSampler):
    """Hands over parameters that are decided already."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = dict(params)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return nothing: each parameter is handed over by itself."""
        return {}

    def sample_relative(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the parameter decided on."""
        return self.params[param_name]


@dataclass(frozen=True)
class Proposal:
    """What a trial is to try.

    Attributes
    ----------
    number : int
        The trial's.
    params : dict
        Its parameters.
    is_new : bool
        Whether the trial must be made; a waiting one is there already.
    notes : dict
        What the sampler wrote down for itself (NSGA-II its generations), as system attributes.
    """

    number: int
    params: dict[str, Any]
    is_new: bool
    notes: dict[str, Any]


@dataclass(frozen=True)
class FinishedTrial:
    """A trial that has come to its end.

    Attributes
    ----------
    number : int
        The trial's.
    values : sequence of float, optional
        Its objectives; none if it failed.
    attributes : mapping
        Its user attributes.
    """

    number: int
    values: Sequence[float] | None
    attributes: Mapping[str, Any]


def unfinished(trial: FrozenTrial) -> FrozenTrial:
    """Return a finished trial as it was before its end was known."""
    return create_trial(
        state=TrialState.RUNNING,
        params=trial.params,
        distributions=trial.distributions,
        system_attrs=trial.system_attrs,
    )


class Proposals:
    """Asks a sampler for the next trial's parameters, ahead of time.

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
    in_turn : bool
        Whether what a proposal knows is fixed by its number (for a single worker).
    """

    def __init__(
        self,
        trials: Iterable[FrozenTrial],
        directions: list[optuna.study.StudyDirection],
        space: Space,
        sampler_of: Callable[[int], BaseSampler],
        in_turn: bool,
    ) -> None:
        self.space = space
        self.sampler_of = sampler_of
        self.in_turn = in_turn
        self.storage = InMemoryStorage()
        self.copy = optuna.create_study(
            storage=self.storage,
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),  # each trial has its own
        )
        self.news: deque[FinishedTrial] = deque()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="proposals")
        self.future: Future[Proposal] | None = None
        self.seconds, self.n_thought = 0.0, 0
        everything = list(trials)
        number = self.number_to_ask(everything)
        for trial in everything:
            if in_turn and trial.state.is_finished() and trial.number >= number - 1:
                self.copy.add_trial(unfinished(trial))
                self.learn(FinishedTrial(trial.number, trial.values, trial.user_attrs))
            else:
                self.copy.add_trial(trial)

    def number_to_ask(self, trials: list[FrozenTrial]) -> int:
        """Return the number of the trial that lacks parameters, or else of the next one to begin."""
        begun = [trial for trial in trials if trial.state != TrialState.WAITING]
        names = set(self.space.names)
        lacking = [
            trial.number
            for trial in begun
            if trial.state == TrialState.RUNNING and set(trial.params) != names
        ]
        return min(lacking, default=max((trial.number for trial in begun), default=-1) + 1)

    def learn(self, trial: FinishedTrial) -> None:
        """Take note of a trial that has ended; proposals begun from now on know of it."""
        self.news.append(trial)

    def update(self, number: int) -> None:
        """Bring the copy to what the proposal of trial ``number`` may know."""
        late: deque[FinishedTrial] = deque()
        while self.news:
            trial = self.news.popleft()
            if self.in_turn and trial.number >= number - 1:
                late.append(trial)
                continue
            identifier = trial_id(self.copy, self.storage, trial.number)
            for key, value in trial.attributes.items():
                self.storage.set_trial_user_attr(identifier, key, value)
            state = TrialState.COMPLETE if trial.values else TrialState.FAIL
            self.storage.set_trial_state_values(identifier, state, trial.values)
        self.news = late

    def next_number(self) -> int:
        """Return the number that the next trial will have: a waiting one's, or a new one."""
        trials = self.copy.get_trials(deepcopy=False)
        waiting = [trial.number for trial in trials if trial.state == TrialState.WAITING]
        return min(waiting, default=len(trials))

    def begin(self) -> None:
        """Begin to think about the next trial."""
        number = self.next_number()
        self.update(number)
        self.future = self.thread.submit(self.ask, number)

    def ask(self, number: int) -> Proposal:
        """Ask the sampler; runs in the thread."""
        is_new = number == len(self.copy.get_trials(deepcopy=False))
        began = time.thread_time()
        self.copy.sampler = self.sampler_of(number)
        before = {} if is_new else self.copy.get_trials(deepcopy=False)[number].system_attrs
        trial = self.copy.ask(self.space.distributions())
        after = self.copy.get_trials(deepcopy=False)[number].system_attrs
        notes = {key: value for key, value in after.items() if key not in before}
        if is_new:
            self.seconds += time.thread_time() - began
            self.n_thought += 1
        return Proposal(trial.number, trial.params, is_new, notes)

    @property
    def seconds_each(self) -> float:
        """CPU seconds that a proposal took, those of the design apart."""
        return self.seconds / max(1, self.n_thought)

    def complete(self, number: int) -> dict[str, Any]:
        """Ask for the parameters that a trial lacks which was begun already."""
        self.update(number)
        self.copy.sampler = self.sampler_of(number)
        trial = optuna.trial.Trial(self.copy, trial_id(self.copy, self.storage, number))
        return {parameter.name: parameter.suggest(trial) for parameter in self.space}

    def wait(self, seconds: float) -> None:
        """Wait for the proposal that is being thought about, but not for long."""
        if self.future is not None:
            wait([self.future], timeout=seconds)

    def take(self) -> Proposal:
        """Return the proposal that is ready."""
        assert self.future is not None
        proposal = self.future.result()
        self.future = None
        return proposal

    def close(self) -> None:
        """End the thread, after the proposal it is thinking about."""
        self.thread.shutdown(wait=True, cancel_futures=True)
