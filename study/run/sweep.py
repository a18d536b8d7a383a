"""The sweep: design, search, validation, report; and what a user reads of it meanwhile."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.exceptions import StorageInternalError
from optuna.storages import BaseStorage
from rich.console import Console
from sqlalchemy.exc import SQLAlchemyError

from study.errors import RunError
from study.experiments.definition import Experiment
from study.report.edges import edge_line
from study.report.export import export
from study.report.front_tables import print_front
from study.run.dispatch import Dispatch
from study.run.progress import PREPARING, ProgressDisplay, duration
from study.run.search import Search
from study.run.settings import SearchSettings
from study.run.source import Source
from study.run.stopping import Precision
from study.run.validation import Validation
from study.run.workers import PlayError, n_cores
from study.store.location import Location
from study.store.manifest import provenance
from study.store.study_data import StudyData
from study.store.study_model import choose_points, fit_study
from study.store.study_record import store_run
from study.text import counted, there_already


class StoppedError(RunError):
    """A sweep cannot go on."""


@dataclass
class Sweep:
    """A study's phases, one after the other.

    Parameters
    ----------
    experiment : Experiment
        What is tuned.
    location : Location
        Where the study is kept.
    study : optuna.Study
        The study; this process must be its only writer.
    backend : optuna.storages.BaseStorage, optional
        Its storage; only the search needs it.
    jobs : int
        How many workers play.
    out : rich.console.Console
        Where progress and tables go.
    """

    experiment: Experiment
    location: Location
    study: optuna.Study
    backend: BaseStorage | None
    jobs: int
    out: Console
    n_failed: int = 0

    def search(self, settings: SearchSettings) -> None:
        """Bring the study to its total of trials: design first, then the sampler's proposals.

        Raises
        ------
        StoppedError
            If trials, workers or the storage fail.
        """
        assert self.backend is not None
        self.out.print(
            f"{self.experiment.title}: study {self.location.name!r} to a total of "
            f"{counted(settings.n_trials, 'trial')}, {counted(settings.n_replicates, 'game')} "
            f"each, {counted(self.jobs, 'job')}, sampler {settings.sampler}"
        )
        self.out.print(PREPARING)
        display = ProgressDisplay(self.out)
        with self.stops("search"):
            search = Search(
                self.experiment, self.study, self.backend, settings, self.jobs, display.message
            )
            before = search.snapshot()
            n_trials = counted(before.n_units_done, "trial")
            n_games = counted(before.n_games_done, "game")
            if search.done:
                self.out.print(
                    f"search complete already: {n_trials}, {n_games} (ask for more with --trials)"
                )
                return
            if before.n_games_done:
                self.out.print(f"going on: {there_already(n_trials, n_games)}")
            asked = {
                "n_trials": settings.n_trials,
                "n_replicates": settings.n_replicates,
                "sampler": settings.sampler,
            }
            self.play("search", search, self.jobs, display, asked)
            self.n_failed = search.trials.n_failed - before.n_failed

    def validate(self, precision: Precision) -> None:
        """Play the front again, until it is known as precisely as asked for.

        Raises
        ------
        StoppedError
            If games, workers or the storage fail.
        """
        data = StudyData.read(self.study, self.experiment)
        model = fit_study(data)
        if model is None:
            raise StoppedError(f"study: {self.location.name!r} has no complete trial yet")
        points = choose_points(model, data, precision.n_points)
        goal = self.experiment.goal
        with self.stops("validation"):
            validation = Validation(self.study, data, points, precision)
            until = (
                "one game each, since scores are exact"
                if goal.is_exact
                else f"to a standard error of {goal.format.with_unit(precision.standard_error)} or "
                f"{precision.most_games:,} games"
            )
            self.out.print(f"validation on fresh seeds: {counted(len(points), 'point')} {until}")
            if validation.done:
                self.out.print("validation complete already")
                return
            if validation.n_games_before:
                n_games = counted(validation.n_games_before, "game")
                self.out.print(f"going on: {there_already(n_games)}")
            asked = {
                "standard_error": 0.0 if goal.is_exact else precision.standard_error,
                "validation_games": precision.most_games,
                "validation_points": precision.n_points,
            }
            # No more workers than cores: a game that shares its core is timed wrongly.
            jobs = min(self.jobs, n_cores())
            self.play("validation", validation, jobs, ProgressDisplay(self.out), asked)

    def report(self) -> None:
        """Print the front, and write tables and pictures.

        Raises
        ------
        StoppedError
            If trials have failed; everything is written then all the same.
        """
        data = StudyData.read(self.study, self.experiment)
        print_front(self.out, data)
        if line := edge_line(data, self.location):
            self.out.print(line, soft_wrap=True)
        paths = export(data, self.location, self.location.folder)
        self.out.print(f"written: {', '.join(str(path) for path in paths)}", soft_wrap=True)
        if self.n_failed:
            raise StoppedError(f"{counted(self.n_failed, 'trial')} failed; trials.csv says why")

    def play(
        self,
        phase: str,
        source: Source[Any],
        jobs: int,
        display: ProgressDisplay,
        asked: Mapping[str, Any],
    ) -> None:
        """Play all games of a source; write this run's provenance and statistics into the study."""
        run = {**provenance(), "phase": phase, **asked, "jobs": jobs}
        index = store_run(self.study, run)
        dispatch = Dispatch(source, jobs, display)
        with display:
            dispatch.run()
        seconds, share = dispatch.seconds, dispatch.utilization.share
        run |= {
            "n_games": dispatch.n_games,
            "wall_seconds": seconds,
            "share_of_worker_time_in_games": share,
        }
        if isinstance(source, Search):
            run["seconds_each"] = source.seconds_each
        store_run(self.study, run, index)
        self.out.print(
            f"{phase}: played {counted(dispatch.n_games, 'game')} in {duration(seconds)}, "
            f"{dispatch.n_games / seconds:.2f} a second; "
            f"workers were in games {share:.1%} of the time"
        )

    @contextmanager
    def stops(self, phase: str) -> Iterator[None]:
        """Say what an interrupt leaves; turn what else stops a phase into one line."""
        try:
            yield
        except KeyboardInterrupt:
            self.out.print(
                f"stopped in the {phase}: what has finished is stored in "
                f"{self.location.url_without_password}; "
                "the same command goes on from here",
                soft_wrap=True,
            )
            raise
        except PlayError as error:
            raise StoppedError(
                f"{error}; what has finished is stored, the same command goes on"
            ) from None
        except (StorageInternalError, SQLAlchemyError) as error:
            # A full disk or a lost server: every game stored before is there.
            reason = str(error.__cause__ or error).splitlines()[0]
            raise StoppedError(
                f"storage: {self.location.url_without_password} fails: {reason}"
            ) from None
