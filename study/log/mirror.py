"""The mirror: a copy of a study's trials as an Optuna study in the same database.

With it, ``optuna.load_study`` and Optuna's dashboard can show a study, even while it runs. The
mirror is derived from the log; if it is deleted, it is rebuilt. Only :mod:`study.check` reads it,
to restore what the log has lost. The mirror is written through Optuna's public methods, one trial
at a time, in the order of the trials' numbers.
"""

import math
import time
import warnings
from collections.abc import Iterable, Mapping

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState, create_trial
from sqlalchemy import Engine, MetaData, inspect

from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.database import OPTUNA_TABLES, engine_options, optuna_names
from thetafront.study.log.log import Log, begin_creation
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import frozen
from thetafront.study.log.study_record import ATTRIBUTE, FORMAT
from thetafront.study.samplers.observations import study_directions

SHARE_OF_TIME = 0.25  # of the writer's time, for the mirror; writing a trial takes about 30 ms
SECONDS_AT_THE_END = 5.0


def optuna_storage(engine: Engine, for_writing: bool = False) -> RDBStorage:
    """Return Optuna's storage in a database; its tables are created only for writing."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # a run prints its own messages
    url = engine.url.render_as_string(hide_password=False)
    with engine.begin() as connection:
        if for_writing and connection.dialect.name == "postgresql":
            begin_creation(connection)
        return RDBStorage(url, engine_options(engine.url), skip_table_creation=not for_writing)


def optuna_study(engine: Engine, name: str) -> optuna.Study | None:
    """Return Optuna's study of that name, for reading; None if it does not exist."""
    if name not in optuna_names(engine):
        return None
    storage = optuna_storage(engine)
    return optuna.load_study(study_name=name, storage=storage, sampler=no_sampler())


class Mirror:
    """The mirror of a study that is being searched.

    It begins with the log's trials. :meth:`put` is called when a trial begins, and when it ends;
    :meth:`step` writes trials when there is time. If a trial is still open when a later one has
    ended, it is written as running.
    """

    def __init__(self, log: Log, experiment: Experiment, trials: Iterable[Point]) -> None:
        self.log = log
        self.experiment = experiment
        self.distributions = experiment.space.distributions()
        self.trials: dict[int, FrozenTrial] = {}
        self.last_ended = -1
        for trial in trials:
            self.put(trial)
        self.study: optuna.Study | None = None
        self.n_written = 0
        self.open: set[int] = set()
        self.due = 0.0

    def put(self, trial: Point) -> None:
        """Remember the current state of a trial, which is written later."""
        self.trials[trial.number] = found = frozen(trial, self.distributions)
        if found.state.is_finished():
            self.last_ended = max(self.last_ended, trial.number)

    @property
    def is_behind(self) -> bool:
        """Whether there is something to write."""
        if self.study is None or self.n_written <= self.last_ended:
            return True
        return any(self.trials[each].state.is_finished() for each in self.open)

    @property
    def seconds_until_due(self) -> float:
        """How long to wait before the next step, so that storing games has priority."""
        return max(0.0, self.due - time.monotonic()) if self.is_behind else math.inf

    def step(self) -> None:
        """Write one trial; the first call opens the mirror, or creates it."""
        began = time.monotonic()
        try:
            self.write_one()
        except BaseException:
            self.study = None  # the mirror's state is unknown after an error
            raise
        now = time.monotonic()
        self.due = now + (now - began) * (1.0 / SHARE_OF_TIME - 1.0)

    def write_one(self) -> None:
        """Open the mirror, or update a trial that has ended, or add a trial."""
        if self.study is None:
            self.study = self.opened()
        elif ended := [n for n in sorted(self.open) if self.trials[n].state.is_finished()]:
            trial = self.trials[ended[0]]
            self.study.tell(trial.number, trial.values, state=trial.state)
            self.open.remove(trial.number)
        elif self.n_written <= self.last_ended:
            trial = self.trials.get(self.n_written, create_trial(state=TrialState.FAIL))
            self.study.add_trial(trial)
            if not trial.state.is_finished():
                self.open.add(self.n_written)
            self.n_written += 1

    def complete(self, seconds: float = SECONDS_AT_THE_END) -> None:
        """Write trials for up to the given seconds; the next run writes those that are left."""
        deadline = time.monotonic() + seconds
        while self.is_behind and time.monotonic() < deadline:
            self.step()

    def opened(self) -> optuna.Study:
        """Open the mirror, or create it; a mirror that contradicts the log is replaced."""
        storage = optuna_storage(self.log.engine, for_writing=True)
        name = self.log.name
        if name in optuna.get_all_study_names(storage):
            study = optuna.load_study(study_name=name, storage=storage, sampler=no_sampler())
            if self.fits(study):
                found = study.get_trials(deepcopy=False)
                self.n_written = len(found)
                self.open = {each.number for each in found if not each.state.is_finished()}
                return study
            optuna.delete_study(study_name=name, storage=storage)
        self.n_written, self.open = 0, set()
        goal = self.experiment.goal
        study = optuna.create_study(
            study_name=name,
            storage=storage,
            directions=study_directions(goal),
            sampler=no_sampler(),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            study.set_metric_names([goal.column("mean"), self.experiment.cost.name])
        study.set_user_attr(ATTRIBUTE, {"format": FORMAT})
        return study

    def fits(self, study: optuna.Study) -> bool:
        """Return whether a study is a mirror of the log; the latest trials may be missing."""
        if (study.user_attrs.get(ATTRIBUTE) or {}).get("format") != FORMAT:
            return False
        is_same_goal = tuple(study.directions) == study_directions(self.experiment.goal)
        trials = {trial.number: trial for trial in study.get_trials(deepcopy=False)}
        return is_same_goal and not self.find_problems(trials)

    def find_problems(self, trials: Mapping[int, FrozenTrial]) -> list[str]:
        """Return which of Optuna's trials differ from those of the log."""
        lost = create_trial(state=TrialState.FAIL)  # stands for a trial that a repair left out
        known = dict.fromkeys(range(max(self.trials, default=-1)), lost) | self.trials
        return [
            f"trial {number} differs"
            for number, trial in trials.items()
            if number not in known or not is_same(trial, known[number])
        ]


def is_same(mirrored: FrozenTrial, known: FrozenTrial) -> bool:
    """Return whether a mirrored trial equals the log's trial, as it is now or was while it ran."""
    if mirrored.params != known.params:
        return False
    if not mirrored.state.is_finished():
        return mirrored.state == TrialState.RUNNING
    return mirrored.state == known.state and mirrored.values == known.values


def no_sampler() -> optuna.samplers.BaseSampler:
    """Return a sampler that is never used."""
    return optuna.samplers.RandomSampler(seed=0)


def mirrored(log: Log, experiment: Experiment, trials: Iterable[Point]) -> Mirror:
    """Bring the mirror of a study up to date; return it."""
    mirror = Mirror(log, experiment, trials)
    mirror.complete(math.inf)
    return mirror


def drop_tables(engine: Engine) -> None:
    """Drop all of Optuna's tables, in a repair of damaged ones; mirrors can be rebuilt."""
    found = MetaData()
    found.reflect(engine, only=sorted(OPTUNA_TABLES & set(inspect(engine).get_table_names())))
    found.drop_all(engine)
