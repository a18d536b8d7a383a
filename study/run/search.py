"""The search: ask for a θ, have its games played, tell the result, until the budget is spent.

One process owns the study and is its only writer; workers play games and know nothing of it. Games of
several trials are in flight at once: those of the next trial stand in line behind those of this one, and
the one after is thought about meanwhile (:mod:`study.run.proposals`).
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import TrialState, create_trial
from threadpoolctl import threadpool_limits

from agents.agent import Agent, Game, warm
from study.errors import check_range
from study.experiments.definition import Experiment
from study.run.dispatch import Dispatch
from study.run.progress import Snapshot
from study.run.proposals import FinishedTrial, Preset, Proposal, Proposals
from study.run.stopwatch import Stopwatch
from study.run.workers import Finished, PlayError
from study.samplers import DEFAULT_SAMPLER, make_sampler
from study.samplers.design import draw_design
from study.store.seeds import LARGEST_STUDY_SEED, MOST_REPLICATES, search_seed
from study.store.storage import StudyRecord
from study.store.trial_games import TrialBatch, games_of, objectives_of, trial_id

MOST_TRIALS = 1_000_000
MOST_DESIGN_POINTS = 4096
MOST_FAILURES_IN_A_ROW = 3
DESIGN_IS_ENQUEUED = "design enqueued"


@dataclass(frozen=True)
class SearchSettings:
    """What a search is asked to do.

    Parameters
    ----------
    n_trials : int
        The study's total, earlier searches included.
    n_replicates : int
        Games a trial.
    seed : int
        The study's seed.
    sampler, design : str
        Who proposes θ, and how the first ones are spread.
    design_size : int
        How many of the trials are the initial design.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    n_trials: int = 128
    n_replicates: int = 4
    seed: int = 0
    sampler: str = DEFAULT_SAMPLER
    design: str = "sobol"
    design_size: int = 16

    def __post_init__(self) -> None:
        check_range("trials", self.n_trials, 1, MOST_TRIALS)
        check_range("replicates", self.n_replicates, 1, MOST_REPLICATES)
        check_range("seed", self.seed, 0, LARGEST_STUDY_SEED)
        check_range("design size", self.design_size, 1, MOST_DESIGN_POINTS)

    def record(self, experiment: Experiment) -> StudyRecord:
        """Return what the study has to remember."""
        return StudyRecord(
            experiment=experiment.name,
            space=experiment.space.as_records(),
            seed=self.seed,
            design=self.design,
            design_size=self.design_size,
            cost=experiment.cost.name,
            fixed=dict(experiment.fixed),
        )


Key = tuple[int, int]
"""A game's trial, by number, and its replicate."""


@dataclass
class Search:
    """A study being brought to its total of complete trials.

    Parameters
    ----------
    experiment : Experiment
        What is tuned.
    study, storage : optuna.Study, optuna.storages.BaseStorage
        Where it is kept; this process must be its only writer.
    settings : SearchSettings
        What is asked for.
    jobs : int
        How many workers play.
    on_change : callable
        Called with a :class:`Snapshot` several times a second.
    on_message : callable
        Called with a line of text when something happens that a user should know of.
    """

    experiment: Experiment
    study: optuna.Study
    storage: BaseStorage
    settings: SearchSettings
    jobs: int
    on_change: Callable[[Snapshot], None]
    on_message: Callable[[str], None]
    batches: dict[int, TrialBatch] = field(default_factory=dict)
    n_complete: int = 0
    n_open: int = 0
    n_failed: int = 0
    n_failures_in_a_row: int = 0
    n_games_before: int = 0
    n_games_done: int = 0
    watches: dict[str, Stopwatch] = field(
        default_factory=lambda: {name: Stopwatch() for name in ("begin", "store", "tell")}
    )
    study_id: int = field(init=False)
    proposals: Proposals = field(init=False)
    dispatch: Dispatch[Key] = field(init=False)

    def prepare(self) -> None:
        """Read what is there: finished trials, interrupted ones to take up, the design."""
        warm(self.experiment.build({}))
        self.enqueue_design()
        self.study_id = self.storage.get_study_id_from_name(self.study.study_name)
        trials = self.study.get_trials(deepcopy=False)
        self.proposals = Proposals(
            trials,
            self.study.directions,
            self.experiment.space,
            self.sampler_of,
            in_turn=self.jobs == 1,
        )
        self.dispatch = Dispatch(
            self, self.jobs, lambda _: self.on_change(self.snapshot()), self.on_message
        )
        for trial in trials:
            if trial.state != TrialState.WAITING:
                self.n_games_before += len(games_of(trial))
            if trial.state == TrialState.RUNNING:
                identifier = trial_id(self.study, self.storage, trial.number)
                params = trial.params
                if set(params) != set(self.experiment.space.names):
                    # Killed while it was being asked for: have what is missing proposed again.
                    params = self.proposals.complete(trial.number)
                    self.study.sampler = Preset(params)
                    begun = optuna.trial.Trial(self.study, identifier)
                    for parameter in self.experiment.space:
                        parameter.suggest(begun)
                if "origin" not in trial.user_attrs:
                    self.storage.set_trial_user_attr(identifier, "origin", self.settings.sampler)
                self.take_up(trial.number, identifier, params, games_of(trial))
            elif trial.state == TrialState.COMPLETE:
                self.n_complete += 1
            elif trial.state == TrialState.FAIL:
                self.n_failed += 1
        self.n_games_done = self.n_games_before

    def enqueue_design(self) -> None:
        """Put the initial design in line; after a kill in the middle, what is missing of it."""
        if self.study.user_attrs.get(DESIGN_IS_ENQUEUED):
            return
        settings = self.settings
        points = draw_design(
            settings.design, self.experiment.space, settings.design_size, settings.seed
        )
        for point in points:
            self.study.enqueue_trial(point, user_attrs={"origin": "design"}, skip_if_exists=True)
        self.study.set_user_attr(DESIGN_IS_ENQUEUED, True)

    @property
    def n_begun(self) -> int:
        """Trials that are complete or on their way there."""
        return self.n_complete + self.n_open

    @property
    def done(self) -> bool:
        """Whether the total is reached and nothing is left to play."""
        return self.n_begun >= self.settings.n_trials and not self.batches

    def run(self) -> None:
        """Play until the total is reached.

        Raises
        ------
        PlayError
            If workers die again and again, or several trials in a row fail.
        """
        # One thread for linear algebra: the cores are the workers'.
        with threadpool_limits(1):
            try:
                self.dispatch.run()
            finally:
                self.proposals.close()

    def next_game(self) -> tuple[Key, Agent, int] | None:
        """Return the next game to hand out; have the next trial thought about in time."""
        self.think_ahead()
        for number, batch in self.batches.items():
            if batch.waiting:
                replicate = batch.waiting.popleft()
                seed = search_seed(self.settings.seed, number, replicate)
                return (number, replicate), batch.agent, seed
        return None

    def thinking(self) -> "Future[Any] | None":
        """Return the proposal that is being thought about."""
        return self.proposals.future

    def think_ahead(self) -> None:
        """Take up the proposal that is ready; begin the next when few games are left in line."""
        while True:
            # Counted anew each time: a trial that was just begun may have failed at once.
            n_waiting = sum(len(batch.waiting) for batch in self.batches.values())
            ready = None
            if self.proposals.future is not None:
                if not self.proposals.future.done():
                    return
                ready = self.proposals.take()
            if self.wants_another(n_waiting, n_more=ready is not None):
                self.proposals.begin()
            if ready is not None:
                # Written down while the next one is thought about already.
                self.begin_trial(ready)
            elif self.proposals.future is None or n_waiting:
                return
            else:
                # Nothing is left to hand out: what is quick (a design point, say) need not wait a round.
                self.proposals.wait(0.02)

    @property
    def enough(self) -> int:
        """How many games in line suffice, so that nobody thinks further ahead than needed."""
        return max(self.jobs, self.settings.n_replicates)

    def wants_another(self, n_waiting: int, n_more: int) -> bool:
        """Return whether to think about another trial, with ``n_more`` about to be begun."""
        if self.n_begun + n_more >= self.settings.n_trials:
            return False
        if n_waiting + n_more * self.settings.n_replicates >= self.enough:
            return False
        number = self.proposals.next_number()
        return not self.proposals.in_turn or all(each >= number - 1 for each in self.batches)

    def sampler_of(self, number: int) -> optuna.samplers.BaseSampler:
        """Return the sampler of one trial."""
        settings = self.settings
        objectives = objectives_of(self.experiment)
        name = settings.sampler
        return make_sampler(name, settings.seed, number, settings.design_size, objectives)

    def begin_trial(self, proposal: Proposal) -> None:
        """Write a proposal into the study as its next trial."""
        number, params = proposal.number, proposal.params
        with self.watches["begin"].running():
            distributions = self.experiment.space.distributions()
            if proposal.is_new:
                # All at once, not a parameter at a time: a fraction of the time, and never half.
                template = create_trial(
                    state=TrialState.RUNNING,
                    params=params,
                    distributions=distributions,
                    user_attrs={"origin": self.settings.sampler},
                    system_attrs=proposal.notes,
                )
                identifier = self.storage.create_new_trial(self.study_id, template)
            else:
                self.study.sampler = Preset(params)
                assert self.study.ask(distributions).number == number
                identifier = trial_id(self.study, self.storage, number)
                for key, value in proposal.notes.items():
                    self.storage.set_trial_system_attr(identifier, key, value)
            assert self.storage.get_trial_number_from_id(identifier) == number
            self.take_up(number, identifier, params, {})

    def take_up(
        self, number: int, identifier: int, params: Mapping[str, Any], games: dict[int, Game]
    ) -> None:
        """Make a running trial's missing games ready to be handed out."""
        self.n_open += 1
        n_wanted = self.settings.n_replicates
        error = ""
        try:
            agent = self.experiment.build(params)
        except ValueError as refused:
            agent, error = self.experiment.build({}), str(refused)
        experiment = self.experiment
        batch = TrialBatch(
            agent,
            games,
            n_wanted,
            self.storage,
            number,
            identifier,
            experiment.cost,
            experiment.goal,
        )
        if error:
            self.fail(batch, error)
        elif batch.missing:
            self.batches[number] = batch
        else:
            self.close(batch)

    def close(self, batch: TrialBatch) -> None:
        """Write what a trial's games amount to."""
        with self.watches["tell"].running():
            batch.complete()
            self.proposals.learn(FinishedTrial(batch.number, batch.values, batch.attributes))
        self.n_complete += 1
        self.n_open -= 1
        self.n_failures_in_a_row = 0

    @property
    def seconds_each(self) -> dict[str, float]:
        """Wall-clock seconds that a proposal, a new trial, a game stored and a trial told took."""
        took = {name: watch.mean for name, watch in self.watches.items()}
        return {"think": self.proposals.seconds_each, **took}

    def fail(self, batch: TrialBatch, message: str) -> None:
        """Write that a trial's games cannot be played; stop if that goes on."""
        batch.fail(message)
        self.on_message(f"trial {batch.number} failed: {message}")
        self.n_open -= 1
        self.n_failed += 1
        self.n_failures_in_a_row += 1
        self.proposals.learn(FinishedTrial(batch.number, None, {}))
        if self.n_failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            raise PlayError(
                f"{MOST_FAILURES_IN_A_ROW} trials failed one after the other; the last: {message}"
            )

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back, and close its trial if it was the last."""
        number, replicate = finished.key
        batch = self.batches.get(number)
        if batch is None or replicate in batch.games:
            return  # stored already, or its trial is closed as failed, which storages make final
        if finished.game is None:
            del self.batches[number]
            self.fail(batch, finished.error)
            return
        self.n_games_done += 1
        with self.watches["store"].running():
            complete = batch.add(replicate, finished.game)
        if complete:
            del self.batches[number]
            self.close(batch)

    def snapshot(self) -> Snapshot:
        """Return how far the search is."""
        unasked = max(0, self.settings.n_trials - self.n_begun)
        missing = sum(len(batch.missing) for batch in self.batches.values())
        return Snapshot(
            unit="trials",
            n_units_done=self.n_complete,
            n_units=max(self.settings.n_trials, self.n_complete),
            n_games_done=self.n_games_done,
            n_games=self.n_games_done + missing + unasked * self.settings.n_replicates,
            n_games_now=self.n_games_done - self.n_games_before,
            seconds=self.dispatch.seconds,
            utilization=self.dispatch.utilization.share,
            note="",  # how good the front is, no mean of four games can tell
            n_failed=self.n_failed,
            n_deaths=self.dispatch.n_deaths,
        )
