"""A sampler that works on a copy of the study.

The copy is in memory and holds what samplers may know. It changes only between proposals, so that a
sampler sees one consistent state; and only one thread writes the study itself.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import optuna
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
from thetafront.study.samplers.base import ModelSampler


@dataclass(frozen=True)
class ProposalBatch:
    """The proposals of a sampler for one request."""

    proposals: list[Point]  # in the order of their numbers
    seconds: float  # CPU seconds that they took


class StaleError(Exception):
    """The copy does not match the study."""


class Proposer:
    """A copy of a study, and its sampler.

    Parameters
    ----------
    trials : iterable of FrozenTrial
        The study so far, from trial 0 on, waiting ones included.
    directions : sequence of StudyDirection
        Of its objectives.
    space : Space
        Of its parameters.
    sampler_of : callable
        Returns the sampler for a trial's number.
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
            sampler=optuna.samplers.RandomSampler(seed=0),  # each trial has its own
        )
        for trial in trials:
            self.copy.add_trial(trial)

    def answer(
        self, news: Sequence[FrozenTrial], numbers: Sequence[int], are_new: bool
    ) -> ProposalBatch:
        """Take note of trials that have ended, and propose waiting or new ones."""
        began = time.thread_time()
        self.update(news)
        return ProposalBatch(self.ask(numbers, are_new), time.thread_time() - began)

    def update(self, news: Sequence[FrozenTrial]) -> None:
        """Bring the copy up to date."""
        n_trials = len(self.copy.get_trials(deepcopy=False))
        for trial in news:
            if trial.number >= n_trials:
                raise StaleError(f"trial {trial.number} has ended, of {n_trials} trials")
            identifier = self.trial_id(trial.number)
            for key, value in trial.user_attrs.items():
                self.storage.set_trial_user_attr(identifier, key, value)
            self.storage.set_trial_state_values(identifier, trial.state, trial.values)

    def trial_id(self, number: int) -> int:
        """Return the storage's own name of a trial."""
        study_id = self.storage.get_study_id_from_name(self.copy.study_name)
        return self.storage.get_trial_id_from_study_id_trial_number(study_id, number)

    def ask(self, numbers: Sequence[int], are_new: bool) -> list[Point]:
        """Ask the sampler for some trials, one after the other."""
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
        return proposals

    def ask_one(self, number: int, is_new: bool) -> Point:
        """Ask the copy's sampler for a trial; StaleError if the copy gives another number."""
        trials = self.copy.get_trials(deepcopy=False)
        if number > len(trials):
            raise StaleError(f"trial {number} asked for, after {len(trials)} trials")
        before = {} if is_new else trials[number].system_attrs
        trial = self.copy.ask()
        params: dict[str, Any] = {}
        for each in self.space.in_order:
            if self.space.is_active(each, params):
                params[each.name] = suggested(trial, each.name, self.distributions[each.name])
        if trial.number != number:
            raise StaleError(f"trial {number} asked for, {trial.number} proposed")
        after = self.copy.get_trials(deepcopy=False)[number].system_attrs
        notes = {key: value for key, value in after.items() if key not in before}
        return Point(trial.params, phase=SEARCH, number=trial.number, notes=notes)


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
