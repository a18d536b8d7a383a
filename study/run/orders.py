"""What is asked of a study, from its checks to the last table: a sweep, or more validation.

The command line and calls from Python make orders; both are checked before anything is written.
"""

import math
from contextlib import nullcontext
from dataclasses import dataclass

from rich.console import Console

from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.widening import Wish, parse_wish
from thetafront.study.log.database import storage_errors_reported
from thetafront.study.log.location import RESULTS, Location, check_folder, locate, make_folder
from thetafront.study.log.lock import locked
from thetafront.study.log.machines import check_seconds
from thetafront.study.log.seeds import SEEDS_A_POINT
from thetafront.study.log.storage import (
    check_playable,
    check_same,
    create_or_resume,
    existing,
    open_for_games,
    prepare_location,
)
from thetafront.study.log.study_data import StudyData
from thetafront.study.run.budget import seconds_of
from thetafront.study.run.executor import Cluster
from thetafront.study.run.first_games import settled
from thetafront.study.run.options import SweepOptions
from thetafront.study.run.progress import ProgressDisplay, preparing
from thetafront.study.run.rehearsal import rehearsed_plan
from thetafront.study.run.settings import DEFAULT_TRIALS, MOST_TRIALS, SearchSettings
from thetafront.study.run.stopping import Precision, RegretTarget
from thetafront.study.run.sweep import Sweep, search_share
from thetafront.study.run.widen import widen as grant
from thetafront.study.run.workers import check_jobs
from thetafront.study.samplers import DEFAULT_SAMPLER, EXACT_SAMPLER, check_sampler
from thetafront.study.samplers.design import draw_design
from thetafront.study.train.on_demand import room

ERRORS_IN_REGRET = 4.0  # standard errors of validated points, in the regret asked for


@dataclass(frozen=True)
class SweepOrder:
    """A sweep to carry out.

    Attributes
    ----------
    experiment : Experiment
        What is tuned, by the cost that is asked for.
    location : Location
        Where the study is kept, or will be.
    settings : SearchSettings
        Of the search.
    precision : Precision, optional
        Of the validation; None without one.
    jobs : int
        How many workers play.
    budget_seconds : float
        Wall time after compiling; infinity for no limit.
    wishes : tuple of Wish
        What to widen of the space before.
    accept_change : bool
        Whether to go on with a definition that has changed.
    cluster : Cluster, optional
        Machines that play in place of this one.
    chooses_cost : bool
        Whether a new study may have a cost that is the same on all machines, if there is one.
    until_regret : RegretTarget, optional
        The bound of the regret that the sweep is to go on until.
    """

    experiment: Experiment
    location: Location
    settings: SearchSettings
    precision: Precision | None
    jobs: int
    budget_seconds: float
    wishes: tuple[Wish, ...]
    accept_change: bool = False
    cluster: Cluster | None = None
    chooses_cost: bool = False
    until_regret: RegretTarget | None = None

    @classmethod
    def of(
        cls, experiment: Experiment, asked: SweepOptions, cluster: Cluster | None = None
    ) -> "SweepOrder":
        """Return the order for what a user asks; InputError if something is not possible."""
        check_alone(asked.jobs, cluster)
        budget_seconds = seconds_of(asked.budget)
        experiment = experiment.by(asked.cost)
        goal = experiment.goal
        wishes = tuple(parse_wish(text, experiment) for text in asked.widen or ())
        trials, sampler = asked.trials, asked.sampler
        if sampler is None:
            sampler = EXACT_SAMPLER if goal.is_exact else DEFAULT_SAMPLER
        if trials is None:  # known trials are the result: the more the better
            is_open = goal.is_exact and math.isfinite(budget_seconds)
            trials = MOST_TRIALS if is_open else DEFAULT_TRIALS
        settings = SearchSettings(
            trials,
            goal.replicates if asked.replicates is None else asked.replicates,
            asked.seed,
            sampler,
            asked.design,
            asked.design_size,
        )
        standard_error, validation_games = asked.standard_error, asked.validation_games
        target = None if asked.until_regret is None else RegretTarget.of(asked.until_regret)
        if target is not None:
            if asked.no_validation:
                raise InputError(
                    "--until-regret cannot be combined with --no-validation, without which no "
                    "regret is known"
                )
            if standard_error is None and not goal.is_exact:
                usual = goal.standard_error
                standard_error = usual if target.is_share else target.value / ERRORS_IN_REGRET
            if validation_games is None and not goal.is_exact:
                validation_games = SEEDS_A_POINT
        precision = Precision.of(
            goal, standard_error, validation_games, asked.validation_points, budget_seconds
        )
        n_jobs = check_jobs(asked.jobs)
        check_sampler(sampler, experiment.space)
        if experiment.build({}).learns:
            room()
        draw_design(asked.design, experiment.space, asked.design_size, asked.seed)
        name = experiment.name if asked.name is None else asked.name
        return cls(
            experiment,
            locate(name, asked.results, asked.storage),
            settings,
            None if asked.no_validation else precision,
            n_jobs,
            budget_seconds,
            wishes,
            asked.accept_change,
            cluster,
            cluster is not None and asked.cost is None,
            target,
        )

    def check_results(self) -> None:
        """Refuse a folder of studies that cannot be used, before a game is played."""
        if self.location.folder.parent != RESULTS:  # which is made when it is needed
            check_folder(self.location.folder.parent)

    def known_experiment(self, out: Console) -> Experiment:
        """Return the experiment as the study has it; of one that is not ours, play a first game.

        InputError if it cannot be played.
        """
        experiment = self.experiment
        if not experiment.player.is_external:
            return experiment
        with storage_errors_reported(self.location):
            study = existing(self.location)
        if study is not None and study.record.defined is not None:
            per_move = study.experiment.cost.per_move
            return experiment.settled(per_move) if experiment.is_open else experiment
        out.print("playing a first game")
        experiment, warning = settled(experiment, self.settings.seed, self.budget_seconds)
        if warning:
            out.print(f"warning: {warning}")
        return experiment

    def admitted(self, experiment: Experiment, out: Console) -> Experiment:
        """Return the experiment by the cost that a cluster plays for, once its workers may play."""
        if self.cluster is None:
            return experiment
        with storage_errors_reported(self.location):
            study = existing(self.location)
        if self.chooses_cost:
            costs = {each.name: each for each in experiment.costs}
            counts = [each for each in experiment.costs if not each.is_timed]
            cost = (counts or [experiment.cost])[0]
            if study is not None:
                cost = costs.get(study.experiment.cost.name, cost)
            if cost != experiment.cost:
                experiment = experiment.with_cost(cost)
        known = {} if study is None else study.machines
        for line in self.cluster.admit(experiment, known):
            out.print(line)
        return experiment

    def carry_out(self, out: Console, make_results: bool = False) -> None:
        """Search, validate and report; make the folder of all studies before, if asked.

        Raises
        ------
        InputError
            If the study cannot be made, or was made with something else.
        StoppedError
            If trials, workers or the storage fail.
        """
        with nullcontext() if self.cluster is None else self.cluster:
            self.carry_out_with_workers(out, make_results)

    def carry_out_with_workers(self, out: Console, make_results: bool) -> None:
        """Do what is asked for, with a cluster that is connected, if there is one."""
        if not make_results:
            self.check_results()
        experiment = self.admitted(self.known_experiment(out), out)
        if make_results:
            make_folder(self.location.folder.parent)
        prepare_location(self.location)
        with locked(self.location) as lock:
            with storage_errors_reported(self.location):
                record = self.settings.record(experiment)
                log = create_or_resume(self.location, record, self.accept_change, out.print)
                check_seconds(log, experiment, self.cluster is not None)
            experiment = grant(log, self.wishes, out, experiment)
            run = Sweep(
                experiment,
                self.location,
                log,
                self.jobs if self.cluster is None else self.cluster.capacity,
                out,
                self.budget_seconds,
                self.settings,
                self.precision,
                lock,
                self.cluster,
            )
            run.begin()
            run.search()
            if self.precision is not None:
                run.validate()
            if self.until_regret is not None:
                run.lower_regret(self.until_regret)
            run.report()

    def rehearse(self, out: Console) -> None:
        """Print the plan, from a few games that are not stored; the study stays as it is."""
        if self.wishes:
            raise InputError("--dry-run cannot be combined with --widen, which writes to the study")
        if self.cluster is not None:
            raise InputError("--dry-run cannot be combined with --scheduler, which it does not use")
        self.check_results()
        with storage_errors_reported(self.location):
            study = existing(self.location)
        experiment, seconds = self.known_experiment(out), self.budget_seconds
        if study is not None:
            asked = self.settings.record(experiment)
            check_same(study.record, asked, self.location, self.accept_change)
            experiment = experiment.widened_to(study.experiment)
        out.print(preparing(experiment.summary.game))
        of_search = seconds if self.precision is None else search_share(experiment) * seconds
        plan = rehearsed_plan(
            experiment,
            self.settings,
            self.precision,
            self.jobs,
            ProgressDisplay(out),
            (of_search, seconds),
            study,
        )
        said = "plan: no game ended in time" if plan is None else plan.text(experiment.goal)
        out.print(said)


def validate_study(
    location: Location,
    data: StudyData,
    precision: Precision,
    jobs: int,
    out: Console,
    budget_seconds: float,
    cluster: Cluster | None = None,
) -> None:
    """Validate a study further and report; InputError if it cannot be written, or is of before."""
    check_playable(location, data)
    with nullcontext() if cluster is None else cluster, locked(location) as lock:
        experiment = data.experiment
        log = open_for_games(location, out.print)
        check_seconds(log, experiment, cluster is not None)
        if cluster is not None:
            for line in cluster.admit(experiment, data.machines):
                out.print(line)
            jobs = cluster.capacity
        run = Sweep(
            experiment,
            location,
            log,
            jobs,
            out,
            budget_seconds,
            None,
            precision,
            lock,
            cluster,
        )
        run.begin()
        run.validate()
        run.report()


def check_alone(jobs: int | None, cluster: Cluster | None) -> None:
    """Refuse a number of jobs for a cluster, whose workers all play."""
    if jobs is not None and cluster is not None:
        raise InputError(
            f"--jobs cannot be combined with --scheduler, all of whose workers play (got {jobs})"
        )
