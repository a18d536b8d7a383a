"""Orders for a sweep or for more validation: they are checked, and then carried out.

The command line and calls from Python create orders. All options are checked before anything is
written.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console

from thetafront.agents.agent import warm
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import range_text
from thetafront.study.experiments.widening import WidenRequest, parse_widen_request, widened
from thetafront.study.log.database import storage_errors_reported
from thetafront.study.log.location import RESULTS, Location, locate, make_folder, why_unusable
from thetafront.study.log.lock import locked
from thetafront.study.log.log import RECORD, Log, event
from thetafront.study.log.machines import check_seconds
from thetafront.study.log.seeds import SEEDS_A_POINT
from thetafront.study.log.storage import (
    check_no_games,
    check_playable,
    check_same,
    create_or_resume,
    existing,
    open_for_games,
    prepare_location,
)
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_thetas, movable_edges
from thetafront.study.run.budget import Budget, parse_seconds
from thetafront.study.run.design_times import with_short_games
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.executor import Executor
from thetafront.study.run.first_games import settled
from thetafront.study.run.options import SweepOptions
from thetafront.study.run.plan import MIN_TRIALS, Pace, Plan, make_plan
from thetafront.study.run.progress import ProgressDisplay, preparing
from thetafront.study.run.search import Search
from thetafront.study.run.settings import (
    DEFAULT_TRIALS,
    MAX_TRIALS,
    TRIALS_IN_BUDGET,
    SearchSettings,
)
from thetafront.study.run.stopping import DEFAULT_GAMES, Precision, RegretTarget
from thetafront.study.run.sweep import Sweep, search_share
from thetafront.study.samplers import DEFAULT_SAMPLER, EXACT_SAMPLER, check_sampler
from thetafront.study.samplers.design import draw_design
from thetafront.study.text import counted
from thetafront.study.train.on_demand import room

ERRORS_IN_REGRET = 4.0  # requested regret divided by the standard error of validated points
DRY_RUN_SECONDS = 20.0
MAX_DRY_RUN_GAMES = 2  # of each θ
MAX_DRY_RUN_TRIALS = 16


@dataclass(frozen=True)
class SweepOrder:
    """A sweep to carry out."""

    experiment: Experiment  # the experiment, with the requested cost
    options: SweepOptions  # the user's options
    executor: Executor[Any]  # plays the games; not open yet
    location: Location  # where the study is kept, or will be
    settings: SearchSettings  # settings of the search
    precision: Precision | None  # precision of the validation; None for no validation
    budget_seconds: float  # wall time after compiling; infinity for no limit
    requests: tuple[WidenRequest, ...]  # parameters whose ranges are widened first
    until_regret: RegretTarget | None  # continue until no bound of the regret is above this

    @classmethod
    def from_options(
        cls, experiment: Experiment, asked: SweepOptions, executor: Executor[Any]
    ) -> "SweepOrder":
        """Return the order for a user's options; InputError if an option is not allowed."""
        budget_seconds = parse_seconds(asked.budget)
        experiment = experiment.by(asked.cost)
        goal = experiment.goal
        requests = tuple(parse_widen_request(text, experiment) for text in asked.widen or ())
        trials, sampler = asked.trials, asked.sampler
        if sampler is None:
            sampler = EXACT_SAMPLER if goal.is_exact else DEFAULT_SAMPLER
        if trials is None:
            trials = DEFAULT_TRIALS
            if asked.until_regret is not None:
                trials = asked.design_size  # more follow as the regret demands
            # If scores are exact, trials are the result, so only the budget limits their number.
            elif math.isfinite(budget_seconds):
                trials = MAX_TRIALS if goal.is_exact else TRIALS_IN_BUDGET
        settings = SearchSettings(
            trials,
            goal.replicates if asked.replicates is None else asked.replicates,
            asked.seed,
            sampler,
            asked.design,
            asked.design_size,
            asked.replicates is None and not goal.is_exact and not experiment.learns,
        )
        standard_error, validation_games = asked.standard_error, asked.validation_games
        target = None if asked.until_regret is None else RegretTarget.from_text(asked.until_regret)
        if target is not None:
            if asked.no_validation:
                raise InputError(
                    "--until-regret cannot be combined with --no-validation, which leaves the "
                    "regret unknown"
                )
            if goal.is_share and not target.is_share and target.value > 1.0:
                raise InputError(
                    f"until regret must be a share of 1 or less, such as 0.02 for 2 percentage "
                    f"points of a {goal.label} (got {target.value:g})"
                )
            if standard_error is None and not goal.is_exact:
                usual = goal.standard_error
                standard_error = usual if target.is_share else target.value / ERRORS_IN_REGRET
            if validation_games is None and not goal.is_exact:
                validation_games = DEFAULT_GAMES if standard_error is None else SEEDS_A_POINT
        precision = Precision.from_options(
            goal, standard_error, validation_games, asked.validation_points, budget_seconds
        )
        check_sampler(sampler, experiment.space)
        if experiment.learns:
            room()
        draw_design(asked.design, experiment.space, asked.design_size, asked.seed)
        name = experiment.name if asked.name is None else asked.name
        return cls(
            experiment,
            asked,
            executor,
            locate(name, asked.results, asked.storage),
            settings,
            None if asked.no_validation else precision,
            budget_seconds,
            requests,
            target,
        )

    def run(self, out: Console, make_results: bool = False) -> StudyData:
        """Search, validate and report; return the study.

        ``make_results`` creates the folder of all studies, if it does not exist. InputError if the
        study cannot be created, or was created with other settings; RunError if trials, workers or
        the storage fail.
        """
        with self.executor:
            if not make_results:
                self.check_results()
            study = existing(self.location)
            if study is None:
                check_no_games(self.location)
            experiment = self.admitted(self.known_experiment(study, out), study, out)
            if make_results:
                make_folder(self.location.folder.parent)
            prepare_location(self.location)
            with locked(self.location) as lock:
                with storage_errors_reported(self.location):
                    record = self.settings.record(experiment)
                    accepts = self.options.accept_change
                    log = create_or_resume(self.location, record, accepts, out.print)
                    check_seconds(log, experiment, self.executor.is_cluster, out.print)
                experiment = widen(StudyData.read(log), self.requests, out, experiment, log)
                run = Sweep(
                    experiment,
                    self.location,
                    log,
                    self.executor,
                    out,
                    self.budget_seconds,
                    self.settings,
                    self.precision,
                    self.until_regret,
                    lock,
                )
                run.begin()
                run.search()
                if self.until_regret is not None:
                    run.lower_regret()
                elif self.precision is not None:
                    run.validate()
                return run.report()

    def check_results(self) -> None:
        """Raise InputError if the folder of studies cannot be used, before a game is played."""
        results = self.location.folder.parent  # the default is created when needed
        if results != RESULTS and (problem := why_unusable(results)):
            raise InputError(f"results folder {str(results)!r} {problem}")

    def known_experiment(self, study: StudyData | None, out: Console) -> Experiment:
        """Return the experiment with the study's cost, unless another cost is requested.

        For a new study of a user's experiment, play a first game; InputError if that fails.
        """
        experiment = self.experiment
        is_external = experiment.player.is_external
        if is_external and (study is None or study.record.defined is None):
            out.print("playing a first game")
            experiment, warning = settled(experiment, self.settings.seed, self.budget_seconds)
            if warning:
                out.print(f"warning: {warning}")
        elif experiment.is_open:
            experiment = experiment.settled(study is None or study.experiment.cost.per_move)
        if study is not None and self.options.cost is None:
            costs = {each.name: each for each in experiment.costs}
            cost = costs.get(study.experiment.cost.name, experiment.cost)
            experiment = experiment.with_cost(cost)
        return experiment

    def admitted(self, experiment: Experiment, study: StudyData | None, out: Console) -> Experiment:
        """Admit a cluster's workers; return the experiment with a cost that they can measure.

        Without a cluster, the experiment does not change.
        """
        if not self.executor.is_cluster:
            return experiment
        if self.options.cost is None and study is None:
            # Prefer a cost that is the same on all machines.
            counts = [each for each in experiment.costs if not each.is_timed]
            experiment = experiment.with_cost((counts or [experiment.cost])[0])
        self.executor.admit(experiment, {} if study is None else study.machines)
        for line in self.executor.drain_messages():
            out.print(line)
        return experiment

    def dry_run(self, out: Console) -> None:
        """Play a few games without storing them, and print the plan that is based on them."""
        if self.executor.is_cluster:
            raise InputError(
                "--dry-run cannot be combined with --scheduler: a dry run uses only this machine"
            )
        self.check_results()
        study = existing(self.location)
        experiment = self.known_experiment(study, out)
        asked = self.settings.record(experiment)
        if study is not None:
            check_same(study.record, asked, self.location, self.options.accept_change)
        new = StudyData(self.location.name, experiment, asked)
        experiment = widen(study or new, self.requests, out, experiment)
        out.print(preparing(experiment.summary.game))
        warm(experiment.build({}))  # compiled before the clock starts
        plan = self.dry_run_plan(experiment, study, ProgressDisplay(out))
        said = (
            "plan: no trial was completed in time" if plan is None else plan.text(experiment.goal)
        )
        out.print(said)
        if self.until_regret is not None:
            target = self.until_regret.text_in(experiment.goal)
            out.print(
                f"this is only the start: more trials and points follow until no regret bound is "
                f"above {target}"
            )

    def dry_run_plan(
        self, experiment: Experiment, study: StudyData | None, display: ProgressDisplay
    ) -> Plan | None:
        """Play the first θ of the design for some seconds, without storing games; plan the sweep.

        If the study already has enough trials, these games only show how fast games are played.
        """
        settings, precision, seconds = self.settings, self.precision, self.budget_seconds
        of_search = seconds if precision is None else search_share(experiment) * seconds
        few = replace(
            settings,
            n_trials=min(settings.design_size, MAX_DRY_RUN_TRIALS),
            n_replicates=min(settings.n_replicates, MAX_DRY_RUN_GAMES),
        )
        scratch = Log.in_memory("rehearsal", settings.record(experiment).as_data())
        n_complete = None
        if study is None:
            data = StudyData.read(scratch, experiment)
        else:
            data = replace(study, experiment=experiment)  # its own definition may be gone
        with self.executor as workers, display:
            settings = with_short_games(settings, data, workers, display.message, of_search)
            budget = Budget(DRY_RUN_SECONDS)
            search = Search(experiment, scratch, few, workers.capacity, display.message, budget)
            dispatch = Dispatch(search, workers, display, budget)
            dispatch.run()
        n_known = 0 if study is None else len(study.complete_trials)
        if study is None or n_known < MIN_TRIALS:
            data, n_complete = StudyData.read(scratch, experiment), n_known
        pace = Pace.measured(dispatch)
        return make_plan(Analysis(data), settings, precision, pace, of_search, seconds, n_complete)


def validate_study(
    location: Location,
    data: StudyData,
    precision: Precision,
    executor: Executor[Any],
    out: Console,
    budget_seconds: float,
) -> None:
    """Validate a study further and report; InputError if no games can be added to it."""
    check_playable(location, data)
    with executor, locked(location) as lock:
        experiment = data.experiment
        log = open_for_games(location, out.print)
        check_seconds(log, experiment, executor.is_cluster, out.print)
        executor.admit(experiment, data.machines)
        for line in executor.drain_messages():
            out.print(line)
        run = Sweep(
            experiment, location, log, executor, out, budget_seconds, precision=precision, lock=lock
        )
        run.begin()
        run.validate()
        run.report()


def widen(
    data: StudyData,
    requests: Sequence[WidenRequest],
    out: Console,
    asked: Experiment,
    log: Log | None = None,
) -> Experiment:
    """Widen the space as requested, print what changes, and return the study's experiment.

    Nothing is written without ``log``. The agent of ``asked``, the experiment that the user asked
    to sweep, limits how far bounds may move. InputError if a request has no bounds, and no complete
    trial shows which bound to move.
    """
    experiment = asked.widened_to(data.experiment)
    if not requests:
        return experiment
    analysis = Analysis(replace(data, experiment=experiment))
    unbounded = [request.name for request in requests if request.bounds is None]
    if unbounded and not front_thetas(analysis):
        raise InputError(
            f"widen must be {unbounded[0]}=LOW:HIGH: no complete trial shows which bound to move "
            f"(got {unbounded[0]!r})"
        )
    edges = movable_edges(analysis) if unbounded else []
    space = widened(experiment.space, requests, edges)
    record = data.record.with_space(space, len(data.trials))
    wider = experiment.widened_to(record.experiment_as_made())
    changed = record.widened[len(data.record.widened) :]
    if changed and log is not None:
        log.write(event(RECORD, **record.as_data()))
    becomes = "would be" if log is None else "is now"
    ranges = {each["name"]: range_text(each) for each in space.as_records()}
    n_trials = counted(len(data.trials), "trial")
    for each in changed:
        out.print(f"widened: {range_text(each)} {becomes} {ranges[each['name']]}; {n_trials} kept")
    for name in dict.fromkeys(request.name for request in requests):
        if name not in {each["name"] for each in changed}:
            reason = "the range already covers the given bounds"
            if name in unbounded:
                reason = "the front is not at an end that can move"
            out.print(f"not widened: {ranges[name]}: {reason}")
    return wider
