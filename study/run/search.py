"""The search: have the games of one θ after the other played, until the budget is spent.

One process owns the study and is its only writer; workers play games and know nothing of it. Games
of several trials are in flight at once: those of the next trial are queued behind those of this
one, and the sampler works on the one after meanwhile (:mod:`study.run.proposals`). Where agents
learn, each worker has a trial of its own.
"""

from collections.abc import Callable
from concurrent.futures import Future
from statistics import fmean
from typing import Any

import optuna
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage

from agents.agent import warm
from study.experiments.definition import Experiment
from study.run.budget import Budget
from study.run.open_trials import Key, OpenTrials, enqueue_design
from study.run.plan import FEWEST_GAMES_TIMED, FEWEST_TRIALS
from study.run.proposals import FinishedTrial, Proposals
from study.run.settings import SearchSettings
from study.run.source import Snapshot, Source
from study.run.workers import Finished, PlayError, Task
from study.samplers import make_sampler
from study.store.seeds import search_seed
from study.store.study_model import objectives_of

MOST_FAILURES_IN_A_ROW = 3


class Search(Source[Key]):
    """A study on its way to its total of complete trials, from wherever it stands.

    Parameters
    ----------
    experiment : Experiment
        What is tuned.
    study, storage : optuna.Study, optuna.storages.BaseStorage
        Where it is kept; this process must be its only writer.
    settings : SearchSettings
        What is asked for.
    jobs : int
        How many workers play. With one, proposals do not depend on timing.
    message : callable
        Called with a line of text when a trial fails.
    budget : Budget, optional
        No trial is begun when it is spent; those in flight are finished, as far as the run's own
        budget allows.

    Raises
    ------
    PlayError
        If several trials in a row fail.
    """

    def __init__(
        self,
        experiment: Experiment,
        study: optuna.Study,
        storage: BaseStorage,
        settings: SearchSettings,
        jobs: int,
        message: Callable[[str], None],
        budget: Budget | None = None,
    ) -> None:
        agent = experiment.build({})
        warm(agent)
        if agent.learns:
            self.tasks_per_worker = 1  # each takes long, so none needs to wait in the line
        enqueue_design(study, experiment, settings)
        trials = study.get_trials(deepcopy=False)
        self.settings = settings
        self.message = message
        self.budget = Budget() if budget is None else budget
        self.n_failures_in_a_row = 0
        self.objectives = objectives_of(experiment)
        # Tasks in the line that suffice, so that no proposal is made earlier than needed.
        self.n_enough = max(jobs, settings.n_replicates)
        self.proposals = Proposals(
            trials, study.directions, experiment.space, self.sampler_of, in_turn=jobs == 1
        )
        self.trials = OpenTrials(experiment, study, storage, settings)
        for trial in trials:
            self.learn(self.trials.resume(trial))
        self.n_games_before = self.trials.n_games

    def sampler_of(self, number: int) -> BaseSampler:
        """Return the sampler of one trial."""
        settings = self.settings
        return make_sampler(
            settings.sampler, settings.seed, number, settings.design_size, self.objectives
        )

    @property
    def n_begun(self) -> int:
        """Trials that are complete or being played."""
        return self.trials.n_complete + len(self.trials.batches)

    @property
    def done(self) -> bool:
        """Whether the total is reached and nothing is left to play."""
        return self.trials.n_complete >= self.settings.n_trials and not self.trials.batches

    def next_task(self) -> Task[Key] | None:
        """Return the next games; have the next trial proposed in time.

        A task is one game, or, if the agent learns, all games of a trial: two workers would learn
        the same.
        """
        self.propose_ahead()
        for number, batch in self.trials.batches.items():
            if batch.waiting:
                n = len(batch.waiting) if batch.agent.learns else 1
                replicates = tuple(batch.waiting.popleft() for _ in range(n))
                seeds = [search_seed(self.settings.seed, number, each) for each in replicates]
                return Task((number, replicates), batch.agent, seeds)
        return None

    def thinking(self) -> "Future[Any] | None":
        """Return the proposal in work, if a trial may still begin."""
        return None if self.budget.is_spent else self.proposals.future

    def propose_ahead(self) -> None:
        """Begin the trial whose proposal is ready; ask for the next when few games are in line."""
        while not self.budget.is_spent:
            # Counted anew each time: a trial that was just begun may have failed at once.
            n_waiting = sum(len(batch.waiting) for batch in self.trials.batches.values())
            ready = None
            if self.proposals.future is not None:
                if not self.proposals.future.done():
                    return
                ready = self.proposals.take()
            if self.wants_another(n_waiting, n_ready=int(ready is not None)):
                self.proposals.begin()
            if ready is not None:
                # Written while the sampler works on the next one already.
                self.learn(self.trials.begin(ready))
            elif self.proposals.future is None or n_waiting:
                return
            else:
                # Nothing is left to hand out: a design point, say, is there in no time.
                self.proposals.wait(0.02)

    def wants_another(self, n_waiting: int, n_ready: int) -> bool:
        """Return whether to ask for another trial, with ``n_ready`` about to be begun."""
        if self.n_begun + n_ready >= self.settings.n_trials:
            return False
        if n_waiting + n_ready * self.settings.n_replicates >= self.n_enough:
            return False
        number = self.proposals.next_number()
        return not self.proposals.in_turn or all(n >= number - 1 for n in self.trials.batches)

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back."""
        self.learn(self.trials.record(finished))

    def learn(self, trial: FinishedTrial | None) -> None:
        """Let later proposals know of a trial that has ended; stop if one after the other fails."""
        if trial is None:
            return
        self.proposals.learn(trial)
        if not trial.error:
            self.n_failures_in_a_row = 0
            return
        self.message(f"trial {trial.number} failed: {trial.error}")
        self.n_failures_in_a_row += 1
        if self.n_failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            raise PlayError(
                f"{MOST_FAILURES_IN_A_ROW} trials in a row failed; the last: {trial.error}"
            )

    @property
    def seconds_each(self) -> dict[str, float]:
        """Mean seconds to propose (CPU) and begin a trial, to store a game, and to tell a trial."""
        durations = {"think": self.proposals.seconds, **self.trials.seconds}
        return {name: fmean(each) if each else 0.0 for name, each in durations.items()}

    def snapshot(self) -> Snapshot:
        """Return how far the search is."""
        n_trials, trials = self.settings.n_trials, self.trials
        n_missing = sum(len(batch.missing) for batch in trials.batches.values())
        n_missing += max(0, n_trials - self.n_begun) * self.settings.n_replicates
        return Snapshot(
            unit="trials",
            n_units_done=trials.n_complete,
            n_units=max(n_trials, trials.n_complete),
            n_games_done=trials.n_games,
            n_games=trials.n_games + n_missing,
            n_failed=trials.n_failed,
        )

    @property
    def stage(self) -> int:
        """1 when enough is known for a plan, 2 when the initial design is complete."""
        if self.trials.n_games - self.n_games_before < FEWEST_GAMES_TIMED:
            return 0
        n, size = self.trials.n_complete, self.settings.design_size
        return int(n >= min(FEWEST_TRIALS, size)) + int(n >= size)

    def close(self) -> None:
        """End the sampler's thread."""
        self.proposals.close()
