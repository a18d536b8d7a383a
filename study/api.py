"""Studies from Python: scripts and notebooks can do what the commands do.

The package ``thetafront`` exports the names of this module, and imports the module on first use.
Errors are :class:`study.errors.InputError` and :class:`study.errors.RunError`. Each call restores
signal handlers, Optuna's verbosity and the display of charts when it ends.
"""

import inspect
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import Any, get_type_hints

import altair as alt
import optuna
import pandas as pd

from thetafront.agents.agent import Agent
from thetafront.agents.catalog import agent_class, build
from thetafront.agents.parameters import is_real
from thetafront.study import interrupt
from thetafront.study.charts.front import front_chart
from thetafront.study.charts.vega import notebook_chart
from thetafront.study.cluster.executors import executor_for
from thetafront.study.errors import InputError, RunError, check_range
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.registry import experiment as experiment_called
from thetafront.study.experiments.table_call import fits, kinds
from thetafront.study.log.database import storage_errors_reported
from thetafront.study.log.invocation import called
from thetafront.study.log.ledger import Ledger
from thetafront.study.log.location import Location, locate, make_folder
from thetafront.study.log.storage import location_given, open_for_reading
from thetafront.study.log.study_data import StudyData
from thetafront.study.report import recommend
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import Tables
from thetafront.study.report.front_tables import front_table, predicted_front_table, table_html
from thetafront.study.report.pick_text import pick_json, pick_text
from thetafront.study.report.prediction_check import distrust_line
from thetafront.study.run.budget import NO_BUDGET, parse_seconds
from thetafront.study.run.options import SweepOptions
from thetafront.study.run.orders import SweepOrder, validate_study
from thetafront.study.run.pick_games import MAX_GAMES_ASKED, played_for
from thetafront.study.run.play_missing import play_missing
from thetafront.study.run.stopping import Precision
from thetafront.study.run.sweep import reached
from thetafront.study.run.workers import check_jobs
from thetafront.study.terminal.console import console
from thetafront.study.text import counted, without_password

MAX_GAMES = 10_000_000  # of each agent, in one call
KINDS = {  # of arguments, and how errors name them
    str: "a string",
    Path: "a path",
    float: "a number",
    Experiment: "an experiment",
    Mapping: "a mapping",
    Sequence: "a sequence",
}
UNFITTED = "has no complete trial to predict from yet"


def sweep(
    experiment: str | Experiment,
    *,
    budget: str | float | None = "15m",
    name: str | None = None,
    results: str | Path = "results",
    storage: str | None = None,
    trials: int | None = None,
    replicates: int | None = None,
    jobs: int | None = None,
    seed: int = 0,
    sampler: str | None = None,
    design: str = "sobol",
    design_size: int = 16,
    cost: str | None = None,
    widen: Sequence[str] = (),
    validate: bool = True,
    until_regret: float | str | None = None,
    standard_error: float | None = None,
    validation_games: int | None = None,
    validation_points: int = 12,
    accept_change: bool = False,
    scheduler: str | None = None,
    tls: Mapping[str, str | Path] | None = None,
    progress: bool = True,
) -> "Study":
    """Tune an experiment: search, then validate the front.

    To resume a sweep, repeat the call, for example after an interrupt. The repeated call may spend
    the whole budget again. To continue a finished sweep, repeat the call with more trials. Ctrl-C,
    or a notebook's stop button, raises KeyboardInterrupt after finished games are stored and
    figures are drawn.

    Parameters
    ----------
    experiment : str or Experiment
        An experiment, or what the command ``thetafront sweep`` accepts: a name that ``thetafront
        experiments`` lists, ``FILE.py:NAME``, ``MODULE:NAME`` or ``FILE.toml``.
    budget : str or float, optional
        Wall time after compiling: ``"90s"``, ``"15m"``, ``"1h30m"``, or seconds; None for no limit.
    name : str, optional
        Name of the study; by default the experiment's name.
    results : path
        Folder that holds all studies, created if missing; tables and figures go to
        ``results/name``.
    storage : str, optional
        A storage URL; by default ``results/name/study.db``.
    trials, replicates : int
        ``trials`` is the number of trials. By default, with a budget, it is as many as the budget
        allows, but at most 384 if scores are noisy; without a budget, it is 128. With
        ``until_regret``, it is the number at the start; by default, that of the design.
        ``replicates`` is the number of games per trial: by default 1 if scores are exact, 10 for a
        win rate, and 4 otherwise. If scores are not exact and there is time, the default is up to
        512.
    jobs : int, optional
        Worker processes; all cores by default.
    seed : int
        Seed for all random numbers.
    sampler, design, design_size : str, str, int
        The sampler (by default ``knowledge-gradient``; ``nehvi`` if scores are exact), the initial
        design, and the number of trials in this design.
    cost : str, optional
        The cost to minimize: one of those that the experiment offers.
    widen : sequence of str
        Ranges to widen before the search: ``"theta4"``, or ``"theta4=1:128"`` with new bounds.
    validate : bool
        Whether to play points of the front on fresh seeds.
    until_regret : float or str, optional
        Continue until, with 95% probability, every recommended θ is at most this much worse than
        the best θ in the space within the same cost limit. The value is a number in the goal's
        unit, or a share of the expected score such as ``"5%"``. The budget may end the sweep
        earlier.
    standard_error, validation_games, validation_points : float, int, int
        ``standard_error`` is the standard error, in the goal's unit, at which a validated point has
        enough games. ``validation_games`` is the maximum number of games per point, and
        ``validation_points`` is the number of points that the model proposes along its front.
    accept_change : bool
        Whether to continue although the definition has changed.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://10.0.0.1:8786"``; its workers play the games.
    tls : mapping, optional
        Files for a TLS connection to the scheduler, with the keys ``ca``, ``cert`` and ``key``.
    progress : bool
        Whether to show progress, on standard error or in the notebook.

    Raises
    ------
    InputError
        If an argument is invalid, or does not match the study.
    RunError
        If the sweep cannot continue; finished games are stored.

    Warns
    -----
    RuntimeWarning
        If trials were left out because their games failed (other trials replaced them), or if the
        agent depends on something, such as an open file, that cannot be checked for changes.
    """
    given = locals()
    limit = budget_text(budget)
    check_types(sweep, given)
    call = call_text("sweep", sweep, given)
    tuned = found(experiment)
    if (depends_on := tuned.player.dependencies) is not None and depends_on.unknown:
        warnings.warn(
            f"these dependencies of {tuned.player.name} are not checked for changes: "
            f"{'; '.join(depends_on.unknown)}",
            RuntimeWarning,
            stacklevel=2,
        )
    alike = {each.name for each in fields(SweepOptions)} & given.keys() - {"scheduler"}
    asked = SweepOptions(
        **{name: given[name] for name in alike}
        | {
            "widen": [widen] if isinstance(widen, str) else list(widen),
            "until_regret": None if until_regret is None else str(until_regret),
            "budget": limit,
            "no_validation": not validate,
            "results": Path(results),
        }
    )
    order = SweepOrder.from_options(tuned, asked, executor_for(asked.jobs, scheduler, tls))
    with as_guest(call):
        data = order.run(console(stderr=True, quiet=not progress), make_results=True)
        if n_failed := sum(each.state == "fail" for each in data.trials):
            text = f"{counted(n_failed, 'trial')} left out because games failed; see .trials"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
    return Study(order.location, data, None if isinstance(experiment, str) else experiment)


def play(
    agent: Agent | Mapping[str, Agent],
    n: int = 100,
    *,
    first_seed: int = 0,
    ledger: str | Path | None = None,
    batch: int = 1,
    jobs: int | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Play games on all cores, and return one row per game, in the order of the seeds.

    Parameters
    ----------
    agent : Agent or mapping of str to Agent
        The agent: ``thetafront.agent("mcmdp", theta1=500)``, ``experiment.build(theta)``, or the
        ``agent`` of a pick. To compare several agents of the same game, pass a mapping from names
        of your choice to the agents. These agents take turns on the same seeds, so a change in the
        machine's speed affects all of them equally. The ``name`` column then identifies the agent.
    n : int
        Number of games of each agent. Their seeds are ``first_seed`` and the n − 1 integers after
        it.
    first_seed : int
        The first seed. The same agent and seed give the same game, except for its times.
    ledger : path, optional
        A folder in which ``games.csv`` stores each game as soon as it ends. If you repeat the call,
        it plays only the missing games. Only catalog agents can have a ledger, because the
        code of other agents may have changed since games were stored.
    batch : int
        Number of games that a worker plays before they are stored; raise it if a game takes less
        than a millisecond.
    jobs : int, optional
        Worker processes; all cores by default.
    progress : bool
        Whether to show progress, on standard error or in the notebook.

    Raises
    ------
    InputError
        If a number is out of range, or the ledger cannot be written or read.
    RunError
        If a game cannot be played, or another program is writing the ledger.
    """
    agents = agent if isinstance(agent, Mapping) else {"games": agent}
    for each in agents.values():
        if not isinstance(each, Agent):
            raise InputError(f"agent must be an agent such as agent('mcmdp') (got {each!r})")
        if ledger is not None and not each.is_ours:
            raise InputError(
                "ledger must be left out for your own agents: it stores only catalog agents' games"
            )
    if not agents:
        raise InputError("agents must include at least one agent (got none)")
    kinds = {get_type_hints(type(each).play)["return"] for each in agents.values()}
    if len(kinds) != 1:
        raise InputError(f"agents must all play the same game (got agents for {len(kinds)} games)")
    n = check_range("n", n, 1, MAX_GAMES)
    first_seed = check_range("first seed", first_seed, 0, 2**62)
    batch, jobs = check_range("batch", batch, 1, MAX_GAMES), check_jobs(jobs)
    seeds = range(first_seed, first_seed + n)
    (kind,) = kinds
    with TemporaryDirectory(prefix="thetafront-") as temporary:
        try:
            folder = ledger_folder(temporary if ledger is None else ledger)
            kept = Ledger(folder / "games.csv", kind)
            with as_guest(call_text("play", play, locals())):
                played = play_missing(
                    agents, seeds, kept, jobs, console(stderr=True, quiet=not progress), batch
                )
        except OSError as error:
            raise RunError(f"ledger: {error}") from None
    columns = kind.columns()
    return pd.DataFrame(
        [
            ({"name": name} if agents is agent else {})
            | {columns[field]: value for field, value in each.to_row().items()}
            for name, games in played.items()
            for each in games
        ]
    )


def ledger_folder(given: str | Path) -> Path:
    """Create the folder of a ledger; InputError if that is impossible."""
    try:
        folder = Path(given)
        make_folder(folder, "ledger")
    except (TypeError, ValueError) as error:
        raise InputError(f"ledger must be a folder (got {given!r}: {error})") from None
    return folder


def agent(name: str, **parameters: Any) -> Agent:
    """Return a catalog agent: ``agent("mcmdp", theta1=500, theta2=54)``.

    Parameters
    ----------
    name : str
        A name that ``thetafront agents`` lists.
    **parameters
        Parameters by name; all others keep their defaults.

    Raises
    ------
    InputError
        If there is no such agent or parameter, or a value is not allowed.
    """
    try:
        agent_class(str(name))
    except ValueError as error:
        raise InputError(str(error)) from None
    try:
        return build(name, parameters)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name}: {error}") from None


def load_experiment(definition: str) -> Experiment:
    """Load an experiment without tuning it, for example to play some games with a θ.

    ``load_experiment("coins.py").build({"effort": 20}).play(seed=7)`` plays one game. If the game
    fails, ``play`` raises :class:`agents.agent.GameError`.

    Parameters
    ----------
    definition : str
        As for :func:`sweep`: a name that ``thetafront experiments`` lists, ``FILE.py:NAME``,
        ``MODULE:NAME`` or ``FILE.toml``.

    Raises
    ------
    InputError
        If there is no such experiment, or its definition is invalid.
    """
    check_types(load_experiment, locals())
    return experiment_called(definition)


def open_study(
    study: str,
    *,
    results: str | Path = "results",
    name: str | None = None,
    experiment: str | Experiment | None = None,
) -> "Study":
    """Open an existing study, even while a sweep is writing it.

    Parameters
    ----------
    study : str
        Its name, or a storage URL.
    results : path
        Folder that holds all studies.
    name : str, optional
        Name of the study; needed if the storage holds several studies.
    experiment : str or Experiment, optional
        The study's experiment, as for :func:`sweep`, if it is defined in a script or notebook.
        Without it, that study can be read, but only a catalog agent's games can be played.

    Raises
    ------
    InputError
        If there is no such study, or it cannot be read.
    RunError
        If a stored value is damaged.
    """
    check_types(open_study, locals())
    with quiet(), storage_errors_reported(location_given(study, Path(results), name)):
        _, location, data = open_for_reading(study, Path(results), name)
    return Study(location, data, None if experiment is None else found(experiment))


@dataclass(frozen=True, repr=False)
class Pick:
    """A θ that :meth:`Study.pick` chose, and what to expect of it.

    Attributes
    ----------
    theta : dict of str to value
        The tuned parameters.
    goal, cost : Estimate
        The goal and the cost that are expected of this θ, estimated from all games of the study, in
        the units of goal and cost. ``value`` is the estimate; its 95% interval reaches from ``low``
        to ``high``.
    n : int
        Number of validation games of this θ; 0 only if no θ of the study has any.
    text, answer : str, dict
        What ``thetafront pick`` prints without and with ``--json``.
    experiment : Experiment
        The study's experiment.
    """

    theta: dict[str, Any]
    goal: Estimate
    cost: Estimate
    n: int
    text: str
    answer: dict[str, Any]
    experiment: Experiment

    @property
    def agent(self) -> Agent:
        """The agent with this θ."""
        return self.experiment.build(self.theta)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``thetafront pick --json`` prints."""
        return self.answer

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


class Study:
    """A study as it was when it was read: its tables, its figures, and the θ that it recommends.

    Its tables are those in the study's folder; each access returns a copy. Column names contain
    units (``*_seconds``, ``score_*_points``); shares and rates are between 0 and 1.

    Parameters
    ----------
    location : Location
        Where the study is stored.
    data : StudyData
        Its contents.
    own : Experiment, optional
        Its experiment, if that is defined in a script or notebook; needed to play games.

    Raises
    ------
    InputError
        If the study was made with a different definition.
    """

    def __init__(self, location: Location, data: StudyData, own: Experiment | None = None) -> None:
        self.location = location
        self.own = own
        self.data = self._playable(data)

    def _playable(self, data: StudyData) -> StudyData:
        """Return the data, with the user's own experiment if that is needed to play games."""
        if self.own is None:
            return data
        now = data.record.made_with(self.own)
        if changes := [*data.record.differences(now), *data.record.changes(now)]:
            raise InputError(
                f"study: {self.name!r} was made with a different definition: {'; '.join(changes)}"
            )
        return replace(data, experiment=self.own.widened_to(data.experiment))

    @property
    def name(self) -> str:
        """The study's name."""
        return self.location.name

    @property
    def experiment(self) -> Experiment:
        """The experiment, with the study's current space."""
        return self.data.experiment

    @property
    def folder(self) -> Path:
        """The folder of its tables and figures."""
        return self.location.folder

    @cached_property
    def _analysis(self) -> Analysis:
        return Analysis(self.data)

    @property
    def _tables(self) -> Tables:
        return self._analysis.tables

    @property
    def trials(self) -> pd.DataFrame:
        """One row per trial: θ, observed mean of the goal and its standard error, cost.

        If any trial is complete, rows also have mean and standard deviation of the model's
        posterior, and the probability of being on the front.
        """
        return self._tables["trials"].copy()

    @property
    def games(self) -> pd.DataFrame:
        """One row per game, with its seed; a validation game has a ``point`` instead of a trial."""
        return self._tables["games"].copy()

    @property
    def front(self) -> pd.DataFrame:
        """One row per validated point, numbered from the cheapest; ``on_front`` marks the front.

        Goal and cost have 95% intervals (``*_low95``, ``*_high95``): from the point's own games,
        and, in columns ``combined_*``, from the model that is fitted to all games of the study.
        """
        return self._tables["front"].copy()

    @property
    def predicted_front(self) -> pd.DataFrame:
        """The front of the whole space, predicted from the trials, with its 95% band.

        Raises
        ------
        InputError
            If no trial is complete.
        """
        return self._table("predicted_front", UNFITTED)

    @property
    def combined_front(self) -> pd.DataFrame:
        """The front of the whole space, predicted from all games, with its 95% band.

        Raises
        ------
        InputError
            If no trial is complete.
        """
        return self._table("combined_front", UNFITTED)

    @property
    def certificate(self) -> pd.DataFrame:
        """How much worse a recommended θ may be than the best: one row per cost limit.

        With 95% probability, this holds in all rows at once: within the row's limit, no θ is better
        than the recommended one by more than ``regret_bound95`` (:mod:`study.report.certificate`).

        Raises
        ------
        InputError
            If no point is validated.
        """
        return self._table("certificate", "has no validated point to certify")

    def _table(self, name: str, without: str) -> pd.DataFrame:
        if name not in self._tables:
            raise InputError(f"study: {self.name!r} {without}")
        return self._tables[name].copy()

    def pick(
        self,
        *,
        games: int = 0,
        jobs: int | None = None,
        progress: bool = True,
        **limit: float | str,
    ) -> Pick:
        """Choose a θ: the best within a cost limit, or the cheapest that reaches a target.

        Parameters
        ----------
        games : int
            Number of games of the proposed θ to play before the choice, on fresh seeds. They are
            stored with the study.
        jobs : int, optional
            Worker processes for these games; all cores by default.
        progress : bool
            Whether to show progress.
        **limit : float or str
            One limit, on the study's cost or goal: ``max_seconds_per_move="100us"`` (or in seconds,
            ``1e-4``), or ``min_score=20000`` (``max_…`` for a goal that is minimized).

        Raises
        ------
        InputError
            If no θ meets the limit, or the limit is invalid.
        RunError
            If games cannot be played.
        """
        call = call_text(f"{self._opening}.pick", self.pick, locals())
        games = check_range("games", games, 0, MAX_GAMES_ASKED)
        check_jobs(jobs)
        with called(call):
            wanted = recommend.PickQuery.read(self.experiment, limit)
        proposal = self._analysis.to_pick_from().propose(wanted)
        played: list[str] = []
        if games and proposal is not None:
            with as_guest(call), self._opened() as now:
                out = console(stderr=True, quiet=not progress)
                data, played = played_for(self.location, now, proposal, games, jobs, out)
            self._take(data)
        candidates = self._analysis.to_pick_from()
        with called(call):
            found = candidates.pick(wanted, None if played else proposal, played)
        point, expected = found.chosen.point, found.chosen.expected
        distrust = distrust_line(self._analysis)
        answers = pick_text(found, distrust), pick_json(found, distrust), self.experiment
        return Pick(dict(point.params), expected.score, expected.cost, len(point.games), *answers)

    def validate(
        self,
        *,
        budget: str | float | None = None,
        standard_error: float | None = None,
        validation_games: int | None = None,
        validation_points: int = 12,
        jobs: int | None = None,
        scheduler: str | None = None,
        tls: Mapping[str, str | Path] | None = None,
        progress: bool = True,
    ) -> "Study":
        """Play points of the front on fresh seeds, and read the study again.

        Parameters, errors and interrupts are those of :func:`sweep`. Points keep their games; a
        smaller standard error, or a budget, gives them more.
        """
        given = locals()
        call = call_text(f"{self._opening}.validate", self.validate, given)
        seconds = parse_seconds(budget_text(budget))
        check_types(self.validate, given)
        executor = executor_for(jobs, scheduler, tls)
        with as_guest(call), self._opened() as data:
            precision = Precision.from_options(
                data.experiment.goal, standard_error, validation_games, validation_points, seconds
            )
            out = console(stderr=True, quiet=not progress)
            validate_study(self.location, data, precision, executor, out, seconds)
        return self.refresh()

    def refresh(self) -> "Study":
        """Read the study again, for example while a sweep runs elsewhere; return the study."""
        with quiet(), self._opened() as data:
            self._take(data)
        return self

    @property
    def _opening(self) -> str:
        """The call that opens this study."""
        name, results = self.name, str(self.folder.parent)
        if locate(name, self.folder.parent, None).url == self.location.url:
            return f"open_study({name!r}, results={results!r})"
        url = self.location.url_without_password
        return f"open_study({url!r}, results={results!r}, name={name!r})"

    @contextmanager
    def _opened(self) -> Iterator[StudyData]:
        """Open and read the study as it is now; InputError if the storage fails."""
        where = self.location
        with storage_errors_reported(where):
            _, _, data = open_for_reading(where.url, where.folder.parent, where.name)
            yield self._playable(data)

    def _take(self, data: StudyData) -> None:
        self.data = data
        self.__dict__.pop("_analysis", None)

    def plot_front(self) -> alt.LayerChart:
        """Return the chart of the front; hover over a mark in a notebook to see θ and intervals.

        The chart's ``save`` writes it as HTML, PNG or SVG.

        Raises
        ------
        InputError
            If no trial is complete.
        """
        self._table("predicted_front", UNFITTED)
        return notebook_chart(front_chart(self._analysis))

    def export(self) -> list[Path]:
        """Write tables, manifest, figures and page to the folder again; return their paths."""
        from thetafront.study.page.results import write_results  # noqa: PLC0415, slow to import

        return write_results(self._analysis, self.location)

    def report(self, path: str | Path | None = None) -> Path:
        """Write the study's page, an HTML file that needs no network; return its path.

        Parameters
        ----------
        path : path, optional
            The file; by default ``report.html`` in the study's folder.

        Raises
        ------
        InputError
            If the file exists and is not the page of a study, or if it cannot be written.
        """
        from thetafront.study.page.results import write_report  # noqa: PLC0415, slow to import

        check_types(self.report, locals())
        return write_report(self._analysis, self.location, None if path is None else Path(path))

    def __repr__(self) -> str:
        return f"<study {self.name!r} of {self.experiment.name!r}: {reached(self.data)}>"

    def _repr_html_(self) -> str:
        heading = f"<p>{escape(repr(self)[1:-1])}</p>"
        if len(front := self._tables["front"]):
            shown = front_table(front.to_dict("records"), self.experiment)
        elif "predicted_front" in self._tables:
            shown = predicted_front_table(self._tables["predicted_front"], self.experiment)
        else:
            return heading
        return f"<div>{heading}{table_html(shown)}</div>"


def found(experiment: str | Experiment) -> Experiment:
    """Return an experiment; if a name is given, look it up.

    Raises InputError if an experiment of the user has the name of a built-in one.
    """
    if isinstance(experiment, str):
        return experiment_called(experiment)
    ours = EXPERIMENTS.get(experiment.name)
    if ours is not None and ours != experiment:
        name = experiment.name
        raise InputError(
            f"experiment must have a new name (got {name!r}, the name of a built-in experiment)"
        )
    return experiment


def check_types(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise InputError unless arguments have the types that a function's annotations name.

    Whole numbers and truth values are not checked here.
    """
    for name, hint in get_type_hints(function).items():
        allowed = kinds(hint)
        if name == "return" or not {*allowed} <= {*KINDS, NoneType}:
            continue
        value = given[name]
        is_path = Path in allowed and isinstance(value, os.PathLike)
        if not (is_path or fits(value, hint)):
            words = " or ".join(KINDS[each] for each in allowed if each is not NoneType)
            raise InputError(f"{name} must be {words} (got {value!r})")


def budget_text(budget: str | float | None) -> str:
    """Write a budget as the commands accept it; None means no limit."""
    if budget is None:
        return NO_BUDGET
    if not (isinstance(budget, str) or is_real(budget)):
        raise InputError(f"budget must be a time or a number of seconds (got {budget!r})")
    return budget if isinstance(budget, str) else f"{budget:.6f}s"


def call_text(called: str, function: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """Write a call that a user can repeat: without passwords, and arguments that are defaults."""
    words = []
    for name, parameter in inspect.signature(function).parameters.items():
        value = given[name]
        if isinstance(value, str):
            value = without_password(value)
        if parameter.kind is parameter.VAR_KEYWORD:
            words += [f"{each}={wanted!r}" for each, wanted in value.items()]
        elif parameter.default is parameter.empty:
            words.append(value.name if isinstance(value, Experiment) else repr(value))
        elif value != parameter.default:
            words.append(f"{name}={(str(value) if isinstance(value, Path) else value)!r}")
    return f"{called}({', '.join(words)})"


@contextmanager
def quiet() -> Iterator[None]:
    """Limit Optuna to error messages in the block."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


@contextmanager
def as_guest(call: str) -> Iterator[None]:
    """Restore signal handlers and Optuna's verbosity after a block in which a call plays games."""
    with quiet(), called(call), interrupt.as_guest():
        yield
