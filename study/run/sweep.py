"""The sweep: its phases (search, validation and report), and the messages that it prints."""

import math
import re
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rich.console import Console
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from thetafront.agents.agent import warm
from thetafront.study import interrupt
from thetafront.study.errors import RunError, first_line
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.invocation import CALL, command_line, option
from thetafront.study.log.location import Location
from thetafront.study.log.log import Log
from thetafront.study.log.machines import store_machines
from thetafront.study.log.manifest import provenance
from thetafront.study.log.point import Point
from thetafront.study.log.server_lock import ServerLock
from thetafront.study.log.study_data import StudyData, store_run
from thetafront.study.model.study_model import another_point, more_points, points_to_validate
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.front_tables import print_front, print_notes
from thetafront.study.run.budget import Budget
from thetafront.study.run.certification import Certification
from thetafront.study.run.design_times import with_short_games
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.executor import Executor, Machines
from thetafront.study.run.live_report import SECONDS_BETWEEN_REPORTS, LiveReport
from thetafront.study.run.plan import Pace, Planner
from thetafront.study.run.progress import ProgressDisplay, preparing
from thetafront.study.run.search import Search
from thetafront.study.run.settings import MAX_TRIALS, SearchSettings
from thetafront.study.run.source import GameSource
from thetafront.study.run.stopping import Precision, RegretTarget
from thetafront.study.run.validation import Validation
from thetafront.study.run.workers import PlayError
from thetafront.study.terminal.console import print_text
from thetafront.study.text import counted, duration
from thetafront.study.train.on_demand import room

MAX_SHARE_OF_REPORT = 0.4  # maximum share of a budget for the last report, on a loaded machine
MORE_TRIALS = 1.5  # factor on the number of trials, while validation would not reach the target
SEARCH_SHARE = 0.5  # share of a budget; time that the search does not use goes to validation
SEARCH_SHARE_OF_EXACT = 0.85  # the same, if scores are exact and validation only measures times
SHORT_SEARCH = 0.5  # a search that needs less than this share of its time could have more trials


def search_share(experiment: Experiment) -> float:
    """Return the share of a budget for the search; the rest is for validation."""
    if not experiment.goal.is_exact:
        return SEARCH_SHARE
    return SEARCH_SHARE_OF_EXACT if experiment.cost.is_timed or experiment.baselines else 1.0


def reached(data: StudyData) -> str:
    """Say how many trials and validated points there are, and the points' standard errors."""
    goal = data.experiment.goal
    n_trials = len(data.complete_trials)
    played = data.known_points
    if goal.is_exact:
        return f"{counted(n_trials, 'trial')}, {counted(len(played), 'point')} in the table"
    said = f"{counted(n_trials, 'trial')}, {counted(len(played), 'point')} validated"
    errors = sorted(data.estimate(point).sem for point in played)
    if not played:
        return said
    if not math.isfinite(sum(errors)):
        return f"{said}, some with a single game"
    low, high = goal.format.error(errors[0]), goal.format.error_with_unit(errors[-1])
    if low == goal.format.error(errors[-1]):
        return f"{said} to a standard error of {high}"
    return f"{said} to standard errors of {low} to {high}"


@dataclass
class Sweep:
    """A study's phases, one after the other."""

    experiment: Experiment  # the experiment to tune
    location: Location  # where the study is kept
    log: Log  # the study's log; this process must be its only writer
    executor: Executor[Any]  # plays the games of all phases; it is open
    out: Console  # where progress and tables go
    # Wall time for all phases, after kernels are compiled; infinity for no limit.
    budget_seconds: float = math.inf
    settings: SearchSettings | None = None  # the settings of the search; None for no search
    precision: Precision | None = None  # precision of the validation; None for no validation
    until_regret: RegretTarget | None = None  # the number of trials grows until it is reached
    lock: ServerLock | None = None  # the study's lock on a server, which may be lost; else None
    n_failed: int = 0
    seconds_a_game: float = math.inf  # wall time that a game took in the latest phase
    target_said: str = ""  # whether the target regret is reached
    stopped_by_budget: bool = False
    begun: set[str] = field(default_factory=set)  # names of this run's phases so far
    planner: Planner = field(default_factory=Planner)
    machines_stored: Machines | None = None
    latest: Analysis | None = None
    written: Analysis | None = None  # the analysis that tables and pictures show
    is_loaded: bool = False  # whether a message has said that the machine is loaded
    n_rows_before: int = 0  # how many trials and games the study had when the phase began

    @cached_property
    def budget(self) -> Budget:
        """The time for all phases; the clock starts at the first access."""
        return Budget(self.budget_seconds, reserve=self.seconds_to_report)

    @cached_property
    def live(self) -> LiveReport:
        """The writer of tables and pictures during the sweep."""
        return LiveReport(self.look, lambda: self.budget.left)

    def seconds_to_report(self) -> float:
        """Return the expected duration of the final report, but at most a share of the budget."""
        return min(self.live.seconds, MAX_SHARE_OF_REPORT * self.budget_seconds)

    @cached_property
    def connection(self) -> StorageConnection:
        """Waits for the storage's server if its connection is lost."""
        return StorageConnection(self.log.engine, self.out.print, self.lock)

    def analysis(self) -> Analysis:
        """Read the study and return its analysis, computed again only if the data have changed."""
        latest = self.latest
        known = None if latest is None else latest.data
        data = self.connection.retried(lambda: StudyData.read(self.log, self.experiment, known))
        self.live.n_rows = len(data.trials) + data.failed_of_played[1]
        if latest is None or latest.data.trials != data.trials:
            latest = Analysis(data)
        elif latest.data != data:
            latest = Analysis(data, latest.trials_model)
        self.latest = latest
        return latest

    def begin(self) -> None:
        """Compile kernels, then start the budget's clock."""
        self.out.print(preparing(self.experiment.summary.game))
        agent = self.experiment.build({})
        warm(agent)
        if agent.learns:
            room()  # raises errors here, rather than in a worker
        self.budget  # noqa: B018

    def search(self, reserved: float | None = None) -> None:
        """Play trials up to the study's total: the design first, then the sampler's proposals.

        The search leaves the ``reserved`` seconds of the budget; by default, a share of the time
        left, if there is a validation. RunError if trials, workers or the storage fail.
        """
        assert self.settings is not None
        is_first = self.begins("search")
        with self.stops("search"):
            data, left = self.analysis().data, self.search_budget(reserved).left
            settings = with_short_games(self.settings, data, self.executor, self.out.print, left)
        self.settings = settings
        within = f", budget {duration(self.budget_seconds)}" if self.budget.is_limited else ""
        total = f", up to {counted(settings.n_trials, 'trial')}" if settings.has_total else ""
        if is_first:
            total = total if self.until_regret is None else ""  # more trials will follow
            self.out.print(
                f"{self.experiment.title}: study {self.location.name!r}{total}, "
                f"{counted(settings.n_replicates, 'game')} "
                f"each, {self.executor.place}, sampler {settings.sampler}{within}"
            )
        else:
            self.out.print(f"search continues{total}")
        display, budget = ProgressDisplay(self.out), self.search_budget(reserved)
        with self.stops("search"):
            search = Search(
                self.experiment,
                self.log,
                settings,
                self.executor.capacity,
                display.message,
                budget,
                self.connection,
                in_subprocess=self.executor.is_cluster,
            )
            before = search.snapshot()
            n_trials = counted(before.n_units_done, "trial")
            n_games = counted(before.n_games_done, "game")
            if search.done:
                search.close()
                said = f"search already complete: {n_trials}, {n_games}"
                if self.until_regret is None:
                    said += f" (for more, use a larger {option('trials')})"
                self.out.print(said)
                return
            if before.n_games_done and is_first:
                self.out.print(f"resuming: {n_trials} and {n_games} already stored")
            asked = {
                **({"n_trials": settings.n_trials} if settings.has_total else {}),
                "n_replicates": settings.n_replicates,
                "sampler": settings.sampler,
            }
            self.play("search", search, display, asked)
            self.n_failed += search.snapshot().n_failed - before.n_failed
            self.stopped_by_budget = not search.done
        if self.until_regret is None and not self.stopped_by_budget:
            self.say_if_short(budget)

    def say_if_short(self, budget: Budget) -> None:
        """Tell the user if a complete search needed only a small part of its budget."""
        used = budget.seconds - budget.left
        if budget.is_limited and used < SHORT_SEARCH * budget.seconds:
            self.out.print(
                f"all trials are complete after {duration(used)}, although the search had "
                f"{duration(budget.seconds)} (for more, use a larger {option('trials')})"
            )

    def begins(self, phase: str) -> bool:
        """Return whether no earlier phase of this run had this name, and note that one has now."""
        is_first = phase not in self.begun
        self.begun.add(phase)
        return is_first

    def search_budget(self, reserved: float | None) -> Budget:
        """Return the budget of a search that begins now."""
        left = self.budget.left
        share = 1.0 if self.precision is None else search_share(self.experiment)
        seconds = share * left if reserved is None else max(left - reserved, 0.0)
        return Budget(seconds, self.budget.clock)

    def lower_regret(self) -> None:
        """Search and validate until no bound of the certificate is above the target.

        The certificate has an upper bound of the regret at each budget. As long as there is nothing
        to validate, the number of trials is increased by half. RunError if games, workers or the
        storage fail.
        """
        target = self.until_regret
        assert target is not None
        assert self.precision is not None
        certification = Certification(target, self.precision, self.out.print)
        # The time that the first validation has if the search takes as long as it may.
        share, is_exact = 1.0 - search_share(self.experiment), self.experiment.goal.is_exact
        reserved = share * self.budget_seconds if self.budget.is_limited else 0.0
        data = self.analysis().data
        certification.begin(data)
        stored = [each for each in data.allowed_points if not each.error]
        if stored and not is_exact:
            self.validate(stored, certification.precision)  # a run may have been interrupted
        while not self.budget.is_spent:
            if is_exact:
                self.validate()  # measures the costs of new trials
            began = time.perf_counter()
            with self.stops("computation of the certificate"):
                analysis = self.analysis()
                points = certification.choose(analysis, self.budget.left <= reserved)
                is_reached = not points and certification.is_reached(analysis)
                has_more = (
                    not points and not is_reached and certification.takes_more_games(analysis)
                )
            data = analysis.data
            played = data.played_points
            if points or has_more:
                computing = time.perf_counter() - began
                self.validate([*played, *points], certification.precision)
                n_points = len(played) + len(points)
                certification.note_times(computing, self.seconds_a_game, n_points)
                continue
            if is_reached:
                break
            has_no_answer = data.allowed_points and analysis.certificate is None
            if analysis.combined is None or has_no_answer:
                self.out.print("there is no certificate, because no θ can be recommended")
                return
            assert self.settings is not None
            n_more = math.ceil(MORE_TRIALS * len(data.complete_trials))
            self.settings = replace(self.settings, n_trials=min(n_more, MAX_TRIALS))
            self.search(None if played else reserved)
        with self.stops("computation of the certificate"):
            is_reached = certification.is_reached(self.analysis())
        self.stopped_by_budget = not is_reached
        wanted = target.text_in(self.experiment.goal)
        is_or_not = "is" if is_reached else "is not"
        self.target_said = f"the target regret, {wanted}, {is_or_not} reached at every budget"

    def validate(
        self, points: list[Point] | None = None, precision: Precision | None = None
    ) -> None:
        """Play points of the front until they are as precise as requested.

        ``points`` are the points to play, by default those that the model proposes, and
        ``precision`` is by default that of the sweep. RunError if games, workers or the storage
        fail.
        """
        precision = precision or self.precision
        assert precision is not None
        with self.stops("validation"):
            analysis = self.analysis()
            data, model = analysis.data, analysis.trials_model
            if model is None:
                if self.stopped_by_budget:
                    return
                raise RunError(f"study: {self.location.name!r} has no complete trial yet")
            if points is None:
                points = points_to_validate(model, data, precision.n_points)
            is_broken = data.experiment.space.broken_by  # a constraint may have become stricter
            points = [each for each in points if not is_broken(each.params)]
        if not points:
            return  # there is no point to play
        if self.budget.is_spent:
            what = "measure costs again" if self.experiment.goal.is_exact else "validate the front"
            self.out.print(f"no time is left to {what}")
            self.stopped_by_budget = True
            return
        goal = self.experiment.goal
        display = ProgressDisplay(self.out)
        with self.stops("validation"):
            validation = Validation(
                self.log,
                data,
                points,
                precision,
                display.message,
                self.connection,
                partial(another_point, model, data),
                partial(more_points, model, data),
            )
            if goal.is_exact:
                until = "to measure costs, because scores are exact"
            elif precision.open_end:
                until = f"for {duration(self.budget.left)}"
            elif precision.standard_error is None:
                until = f"up to {counted(precision.most_games, 'game')} each"
            else:
                wanted = goal.format.with_unit(precision.standard_error)
                until = (
                    f"each until its standard error is {wanted} or it has "
                    f"{precision.most_games:,} games"
                )
            self.out.print(f"validation on fresh seeds: {len(points):,} θ, {until}")
            if validation.done:
                validation.close()
                self.out.print("validation already complete")
                return
            if self.begins("validation") and validation.n_games_before:
                n_games = counted(validation.n_games_before, "game")
                self.out.print(f"resuming: {n_games} already stored")
            asked = {
                "standard_error": 0.0 if goal.is_exact else precision.standard_error,
                "validation_games": precision.most_games,
                "open_end": precision.open_end,
                "validation_points": precision.n_points,
            }
            self.executor.leave_a_core_to_each()
            self.play("validation", validation, display, asked)
            self.stopped_by_budget |= not validation.done

    def report(self) -> StudyData:
        """Print the front, write tables and pictures, and return the study."""
        self.live.finish()
        with self.stops("report"):
            analysis = self.analysis()
            print_front(self.out, analysis)
            print_notes(self.out, analysis, self.location)
            paths = self.write_results(analysis)
        if self.target_said:
            self.out.print(self.target_said)
        self.out.print(f"tables, pictures and page are in {paths[0].parent}")
        if self.n_failed:
            self.out.print(f"{counted(self.n_failed, 'trial')} left out; trials.csv says why")
        if self.budget.is_limited:
            self.say_what_goes_on(analysis.data)
        self.say_next_steps(analysis)
        return analysis.data

    def say_what_goes_on(self, data: StudyData) -> None:
        """Print how precise the results are, and how to improve them."""
        budget = duration(self.budget_seconds)
        if self.stopped_by_budget:
            state = f"the budget of {budget} is spent"
            if not self.budget.is_spent:
                state = f"the search's share of the budget of {budget} is spent"
            again = f"to continue: {without_widening(command_line())}"
        else:
            state = f"done before the budget of {budget} was spent"
            ways = [option("trials")] if self.settings is not None else []
            if self.until_regret is not None:
                ways = [f"a smaller {option('until-regret')}"]
            elif self.precision is not None and not data.experiment.goal.is_exact:
                has_target = self.precision.standard_error is not None
                ways += [f"a smaller {option('standard-error')}"] if has_target else []
                ways.append(f"more {option('validation-games')}")
            again = f"for more, use {' or '.join(ways)}" if ways else ""
        self.out.print(f"{state}: {reached(data)}")
        if again:
            print_text(self.out, again)

    def say_next_steps(self, analysis: Analysis) -> None:
        """Print the commands that a user may want next, unless the sweep was called from Python."""
        if CALL.get() or not analysis.rows:
            return
        study, cost = shlex.join(self.location.words), self.experiment.cost
        max_cost = max(row[f"combined_{cost.columns[2]}"] for row in analysis.rows)
        step = 10.0 ** math.floor(math.log10(max_cost))
        limit = cost.argument(math.ceil(max_cost / step) * step)
        pick = f"pick {study} {option(cost.bound)} {limit}"
        for what, command in (("read it", f"report {study} --open"), ("choose θ", pick)):
            print_text(self.out, f"to {what}: thetafront {command}")

    def write_results(self, analysis: Analysis, is_running: bool = False) -> list[Path]:
        """Write tables, pictures and the page; the page of a running study reloads itself."""
        from thetafront.study.page.page import Circumstances  # noqa: PLC0415, slow to import
        from thetafront.study.page.results import write_results  # noqa: PLC0415

        running = Circumstances(running=command_line(), reload_seconds=SECONDS_BETWEEN_REPORTS)
        self.written = None if is_running else analysis
        return write_results(analysis, self.location, running if is_running else None)

    @property
    def is_pick(self) -> bool:
        """Whether only the point of a pick is played; no plan or report is then printed."""
        return self.settings is None and self.precision is None

    @property
    def has_games(self) -> bool:
        """Whether the study has games, as far as this process has read or written them."""
        n_read = 0 if self.latest is None else self.latest.data.failed_of_played[1]
        counts = self.log.counts  # None until this process writes
        return n_read > 0 or (counts is not None and counts.n_games > 0)

    def look(self, is_whole: bool) -> None:
        """Print the plan if it has changed; if ``is_whole``, also write tables and pictures."""
        if self.is_pick:
            return
        analysis, dispatch = self.analysis(), self.dispatch
        settings = self.settings if isinstance(dispatch.source, Search) else None
        # Until a regret is reached, how much is validated after these games is not known.
        precision = self.precision if self.until_regret is None else None
        if settings is not None or precision is not None:
            plan = self.planner.new_plan(analysis, dispatch, settings, precision)
            if plan is not None:
                dispatch.display.message(plan.text(self.experiment.goal))
        if is_whole:
            self.write_results(analysis, is_running=True)

    def play(
        self,
        phase: str,
        source: GameSource[Any],
        display: ProgressDisplay,
        asked: Mapping[str, Any],
    ) -> None:
        """Play all games of a source; store the run's provenance and utilization in the study."""
        part = source.budget if isinstance(source, Search) else None
        dispatch = Dispatch(source, self.executor, display, self.budget, part)
        dispatch.each_turn = self.turn
        self.dispatch = dispatch
        budget = {"budget_seconds": self.budget_seconds} if self.budget.is_limited else {}
        run = {**provenance(), "phase": phase, **asked, **budget, "jobs": dispatch.jobs}
        index = self.connection.retried(lambda: store_run(self.log, run))
        self.live.begin_phase()
        self.n_rows_before = self.live.n_rows
        self.connection.message = display.message
        try:
            with display:
                dispatch.run()
        except BaseException:
            self.live.finish()
            raise
        finally:
            self.connection.message = self.out.print
            self.connection.heed_interrupt()
        used = dispatch.utilization
        seconds, load = dispatch.seconds, used.load
        share, learned = used.share * (1.0 - used.learning_share), used.share * used.learning_share
        run |= {
            "n_games": dispatch.n_games,
            "wall_seconds": seconds,
            "share_of_worker_time_in_games": None if math.isnan(share) else share,
            **({"share_of_worker_time_learning": learned} if learned > 0.0 else {}),
            "wall_seconds_a_cpu_second": None if math.isnan(load) else load,
        }
        if isinstance(source, Search):
            run["seconds_each"] = source.seconds_each
            run["wall_seconds_a_game_second"] = Pace.measured(dispatch).wall_seconds
        self.connection.retried(lambda: store_run(self.log, run, index))
        if dispatch.n_games:
            self.seconds_a_game = seconds / dispatch.n_games
        played = f"{phase}: played {counted(dispatch.n_games, 'game')} in {duration(seconds)}"
        if dispatch.n_games and not math.isnan(share):
            played += (
                f", {dispatch.n_games / seconds:.2f} per second; "
                f"workers spent {share:.1%} of their time in games"
            )
            if learned:
                played += f", and {learned:.1%} in learning"
        self.out.print(played)
        if used.is_loaded and not self.is_loaded:
            self.is_loaded = True
            timed = [each.name.replace("_", " ") for each in self.experiment.costs if each.is_timed]
            inexact = f", and {' and '.join(timed)} are less exact" if timed else ""
            self.out.print(
                f"the machine is loaded: each CPU second of games took {load:.1f} s of wall time, "
                f"so fewer games were played{inexact}"
            )

    def turn(self) -> None:
        """Keep the lock, write reports that are due, and store new machines; called often."""
        n_rows = self.n_rows_before + self.dispatch.n_games
        self.live.n_rows = max(self.live.n_rows, n_rows)  # since the study was last read
        self.connection.keep_lock()
        if failure := self.live.turn(self.dispatch.source.stage):
            self.dispatch.display.message(failure)
        machines = self.executor.machines
        if self.machines_stored is not machines:  # the executor makes a new mapping for each change
            self.connection.retried(lambda: store_machines(self.log, machines))
            self.machines_stored = machines

    @contextmanager
    def stops(self, phase: str) -> Iterator[None]:
        """Defer an interrupt to the end of the block; then write tables, and say what is stored.

        Other fatal errors are reported in one line.
        """
        try:
            try:
                with interrupt.deferred():
                    yield
                    if interrupt.requested() and not self.is_pick:
                        self.live.finish()
                        if (analysis := self.analysis()) is not self.written:
                            self.write_results(analysis)
            finally:
                # Even after an error, writers must end before the lock is released.
                self.connection.close_writers()
        except KeyboardInterrupt:
            shown = "thetafront export draws" if self.is_pick else "tables and pictures show"
            left = ", before its first game ended"
            if self.has_games:
                url = self.location.url_without_password
                left = f": finished games are stored in {url}; {shown} them"
            self.out.print(f"stopped during the {phase}{left}; the same command resumes")
            raise
        except PlayError as error:
            raise RunError(
                f"{error}; finished games are stored; the same command resumes"
            ) from None
        except SQLAlchemyError as error:
            cause = error.__cause__ or error
            reason = first_line(cause)
            is_moved = getattr(cause, "sqlite_errorname", "") == "SQLITE_READONLY_DBMOVED"
            if is_moved or "no such table" in reason:  # a new connection creates an empty file
                reason = "the file was moved or deleted"
            elif isinstance(error, OperationalError):  # such as a full disk or a lost server
                reason += "; games stored before are kept; the same command resumes"
            raise RunError(
                f"storage: {self.location.url_without_password} fails: {reason}"
            ) from None


def without_widening(command: str) -> str:
    """Return a command without options that have taken effect and must not take effect again."""
    command = re.sub(r" --accept-change|, accept_change=True", "", command)
    widening = r" --widen[ =](?:'[^']*'|\S+)|, widen=(?:[\[(].*?[\])]|'[^']*')"
    return re.sub(widening, "", command)
