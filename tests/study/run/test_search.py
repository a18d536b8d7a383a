"""The search: budgets, resuming, failures."""

import contextlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest

from tests.study.conftest import Coin
from tests.study.made_studies import new_study_in
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SECONDS
from thetafront.study.experiments.objectives.goals import SCORE, mean
from thetafront.study.experiments.space import Space
from thetafront.study.log.log import Log, Rows
from thetafront.study.log.log import lost as lost_point
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH
from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch, play_here
from thetafront.study.run.search import Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import Snapshot
from thetafront.study.run.workers import Finished, PlayError, Task

pytestmark = pytest.mark.usefixtures("no_processes")


class StopHereError(Exception):
    """Ends a run from within."""


class Late(optuna.samplers.RandomSampler):
    """A sampler of a user's that fails late."""

    def sample_independent(self, study: optuna.Study, trial: Any, *given: Any) -> Any:
        if trial.number >= 9:
            raise RuntimeError("late and loud")
        return super().sample_independent(study, trial, *given)


class Watch:
    """A display that keeps what it is shown, and stops the run after some games if asked to."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after = stop_after
        self.snapshots: list[Snapshot] = []
        self.messages: list[str] = []
        self.utilization = 0.0
        self.seconds_each: dict[str, float] = {}

    def show(self, now: Snapshot, dispatch: Dispatch[Any]) -> None:
        self.snapshots.append(now)
        self.utilization = dispatch.utilization.share
        if isinstance(dispatch.source, Search):
            self.seconds_each = dispatch.source.seconds_each
        if self.stop_after is not None and now.n_games_done >= self.stop_after:
            raise StopHereError

    def message(self, text: str) -> None:
        self.messages.append(text)


def search(
    experiment: Experiment,
    folder: Path,
    settings: SearchSettings,
    stop_after: int | None = None,
    jobs: int = 1,
    n_games_budget: float = math.inf,
) -> tuple[Log, Watch]:
    """Run a search in this process; stop it after some games if asked to.

    Its budget is counted in games that have been shown.
    """
    study = new_study_in(folder, settings.record(experiment))
    watch = Watch(stop_after)
    budget = Budget(
        n_games_budget, lambda: float(sum(s.n_games_done for s in watch.snapshots[-1:]))
    )
    source = Search(experiment, study, settings, jobs, watch.message, budget)
    if source.done:
        source.close()
    else:
        with contextlib.suppress(StopHereError):
            play_here(source, jobs, watch)
    return study, watch


def unbroken_and_stopped(
    experiment: Experiment, folder: Path, settings: SearchSettings, *stops: int
) -> tuple[Log, Log]:
    """Run a search in one go, and again with stops after so many games."""
    whole, parts = folder / "whole", folder / "parts"
    whole.mkdir()
    parts.mkdir()
    unbroken, _ = search(experiment, whole, settings)
    for n_games in stops:
        search(experiment, parts, settings, stop_after=n_games)
    stopped, _ = search(experiment, parts, settings)
    return unbroken, stopped


def trials_of(study: Log) -> list[Point]:
    """The trials that have begun."""
    return StudyData.read(study).trials


def states_of(study: Log) -> list[str]:
    return [trial.state for trial in trials_of(study)]


def origins_of(study: Log) -> list[str]:
    return [trial.origin for trial in trials_of(study)]


def outcome(study: Log) -> dict[int, tuple[dict, list[tuple[int, int, int]]]]:
    """What must not depend on interruptions: θ and games of each trial."""
    return {
        trial.number: (
            dict(trial.params),
            [(r, game.seed, game.score) for r, game in trial.games.items()],
        )
        for trial in trials_of(study)
        if trial.state == "complete"
    }


SETTINGS = SearchSettings(n_trials=10, n_replicates=3, seed=5, sampler="random", design_size=8)


def test_what_a_sampler_of_a_user_raises_ends_the_search_and_what_is_played_is_kept(
    quick: Experiment, tmp_path: Path
) -> None:
    late = replace(SETTINGS, sampler=f"{__name__}.Late")
    with pytest.raises(
        PlayError, match=r"the .*\.Late sampler failed: RuntimeError: late and loud"
    ):
        search(quick, tmp_path, late)
    study, _ = search(quick, tmp_path, SETTINGS)
    assert origins_of(study) == ["design"] * 8 + [late.sampler, "random"]


def test_a_search_spends_its_budget(quick: Experiment, tmp_path: Path) -> None:
    study, watch = search(quick, tmp_path, SETTINGS)
    assert states_of(study) == ["complete"] * 10
    assert origins_of(study) == ["design"] * 8 + ["random"] * 2
    for trial in trials_of(study):
        games = trial.games
        first = 5_000_000 + 1000 * trial.number
        assert [game.seed for game in games.values()] == [first, first + 1, first + 2]
        played = list(games.values())
        again: Game = quick.build(trial.params).play(first + 1)
        assert (again.score, again.end_board) == (played[1].score, played[1].end_board)
        assert trial.values == (SCORE.estimate(played).value, SECONDS.value(played))
    last = watch.snapshots[-1]
    assert (last.unit, last.n_units_done, last.n_units) == ("trials", 10, 10)
    assert last.n_games_done == last.n_games == 30
    assert 0.0 < watch.utilization <= 1.0
    assert set(watch.seconds_each) == {"think", "begin", "store", "tell"}
    assert all(seconds > 0.0 for seconds in watch.seconds_each.values())
    assert watch.messages == []


def test_a_search_stopped_anywhere_ends_as_an_unbroken_one(
    quick: Experiment, tmp_path: Path
) -> None:
    """One worker and a sampler that looks at nothing: the same θ and games, whatever the stops."""
    whole, study = unbroken_and_stopped(quick, tmp_path, SETTINGS, 1, 3, 8, 14, 20, 26)
    assert outcome(study) == outcome(whole)
    assert len(trials_of(study)) == 10


@pytest.mark.sweeps
def test_a_search_whose_budget_is_spent_finishes_its_trials_and_continues_later(
    quick: Experiment, tmp_path: Path
) -> None:
    """In the design, in the middle of a trial, and after it: all that was begun is complete."""
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    whole, _ = search(quick, tmp_path / "whole", SETTINGS)
    n_before = 0
    for n_games in (4, 10, 25):
        study, watch = search(quick, tmp_path / "parts", SETTINGS, n_games_budget=n_games)
        done = states_of(study)
        assert set(done) == {"complete"}, "none is left half-played"
        assert n_games <= watch.snapshots[-1].n_games_done == 3 * len(done) <= n_games + 3 * 3
        assert len(done) > n_before
        n_before = len(done)
    study, _ = search(quick, tmp_path / "parts", SETTINGS)
    assert outcome(study) == outcome(whole)


EXACT = SearchSettings(
    n_trials=16, n_replicates=2, seed=3, sampler="knowledge-gradient", design_size=4
)


def test_an_agent_that_learns_plays_its_trial_as_one_task(
    coin: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing of a trial after a kill is one task, too."""
    monkeypatch.setattr(Coin, "learns", True)
    study = new_study_in(tmp_path, SETTINGS.record(coin))
    source = Search(coin, study, SETTINGS, 2, print)
    assert source.tasks_per_worker == 1
    task: Task[Any] | None = None
    while task is None:
        task = source.next_task()
    assert task.key == (0, (0, 1, 2))
    games = tuple(task.agent.play(seed) for seed in task.seeds)
    source.record(Finished((0, (0, 1)), games[:2]))
    source.close()
    again = Search(coin, study, SETTINGS, 2, print)
    task = again.next_task()
    assert task is not None
    assert (task.key, task.seeds) == ((0, (2,)), [games[2].seed])
    again.record(Finished(task.key, games[2:]))
    again.writer.flush()
    assert outcome(study)[0][1] == [(r, game.seed, game.score) for r, game in enumerate(games)]
    task = None
    while task is None:
        task = again.next_task()
    with pytest.raises(PlayError, match="trial 1 cannot be played: LearningError: no room"):
        again.record(Finished(task.key, (), "LearningError: no room", is_machines=True))
    again.close()
    assert states_of(study)[1] == "running", "it is gone on with"


def test_a_search_killed_and_resumed_proposes_exactly_what_it_would_have(
    quick: Experiment, tmp_path: Path
) -> None:
    """One worker and the exact cost: stopped after any game, the same θ in the same trials."""
    exact = quick.with_cost(PLAYOUT_MOVES)
    whole, study = unbroken_and_stopped(exact, tmp_path, EXACT, 1, 2, 7, 8, 9, 14, 19, 24, 31)
    assert outcome(study) == outcome(whole)
    assert [t.values for t in trials_of(study)] == [t.values for t in trials_of(whole)]
    assert origins_of(whole) == ["design"] * 4 + ["knowledge-gradient"] * 12
    again, _ = search(exact, tmp_path, EXACT)
    assert outcome(again) == outcome(whole), "the same seed, the same study"


def test_trials_that_a_repair_has_left_out_are_proposed_again(
    quick: Experiment, tmp_path: Path
) -> None:
    """One of the design, and one of the sampler's: neither looks at the others."""
    study, _ = search(quick, tmp_path, SETTINGS)
    before, rows = outcome(study), study.rows()
    lost = {3, 8}
    points = [row for row in rows.points if row.number not in lost]
    games = [row for row in rows.games if row.number not in lost]
    study.rebuild(Rows.numbered(rows.study, points, games, ()))
    study.write(*(lost_point((SEARCH, number)) for number in lost))
    study, _ = search(quick, tmp_path, SETTINGS)
    assert outcome(study) == before
    assert origins_of(study) == ["design"] * 8 + ["random"] * 2


def test_many_workers_play_each_game_once(quick: Experiment, tmp_path: Path) -> None:
    settings = SearchSettings(n_trials=14, n_replicates=2, seed=1, sampler="nehvi", design_size=4)
    study, watch = search(quick, tmp_path, settings, jobs=3)
    assert states_of(study) == ["complete"] * 14
    assert all(sorted(trial.games) == [0, 1] for trial in trials_of(study))
    assert watch.snapshots[-1].n_games_done == 28


def test_nsga2_continues_with_its_generations(quick: Experiment, tmp_path: Path) -> None:
    """It writes them down with each trial, and a resumed search must find them there."""
    exact = quick.with_cost(PLAYOUT_MOVES)
    settings = SearchSettings(n_trials=14, n_replicates=1, seed=3, sampler="nsga2", design_size=4)
    whole, study = unbroken_and_stopped(exact, tmp_path, settings, 9)
    assert outcome(study) == outcome(whole)
    generations = [trial.notes for trial in trials_of(whole)[5:]]
    assert any("NSGAIISampler:generation" in notes for notes in generations)


def test_repeating_a_search_changes_nothing_and_a_larger_total_adds_trials(
    quick: Experiment, tmp_path: Path
) -> None:
    few = SearchSettings(3, 2, seed=5, sampler="random", design_size=8)
    before, _ = search(quick, tmp_path, few)
    expected = outcome(before)
    after, watch = search(quick, tmp_path, few)
    assert (outcome(after), watch.snapshots) == (expected, [])
    study, _ = search(quick, tmp_path, SearchSettings(11, 2, seed=5, sampler="tpe", design_size=8))
    assert states_of(study) == ["complete"] * 11
    assert origins_of(study) == ["design"] * 8 + ["tpe"] * 3


def unlucky_from(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make agents of ``least`` playouts and more impossible to build."""
    build = Experiment.build

    def unlucky(self: Experiment, values: dict[str, float]) -> object:
        if values.get("n_playouts", 1) >= least:
            raise ValueError("n_playouts: too many today")
        return build(self, values)

    monkeypatch.setattr(Experiment, "build", unlucky)


def test_a_trial_that_fails_says_why_and_another_takes_its_place(
    quick: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlucky_from(30, monkeypatch)
    study, watch = search(quick, tmp_path, SETTINGS)
    states = states_of(study)
    assert states.count("complete") == 10
    assert states.count("fail") == len(states) - 10 >= 1
    assert watch.snapshots[-1].n_failed == states.count("fail")
    assert "too many today" in watch.messages[0]
    failed = next(trial for trial in trials_of(study) if trial.state == "fail")
    assert failed.error == "n_playouts: too many today"


def test_replacements_of_failed_games_come_after_a_trials_own_games(tmp_path: Path) -> None:
    """Only the first games in a row tell whether a θ is left out, so they must be played first."""

    def play(seed: int, x: float) -> float:
        if x > 0.5:
            raise ValueError("x is too large")
        return x + seed % 7

    failing = Experiment(
        name="failing",
        agent=play,
        space=Space((NumericParameter("x", 0.0, 1.0),)),
        goal=mean("value"),
        max_failures=0.5,
    ).settled(False)
    settings = replace(SETTINGS, n_trials=4, n_replicates=20, design_size=4)
    study, _ = search(failing, tmp_path, settings)
    failed = [trial for trial in StudyData.read(study, failing).trials if trial.error]
    assert failed
    assert max(max(trial.failures) for trial in failed) < 20


def test_one_failure_after_the_other_stops_the_search_and_costs_no_budget(
    quick: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is broken, an agent or the machine: mended, the study comes to its full total."""
    with monkeypatch.context() as broken:
        unlucky_from(5, broken)
        with pytest.raises(PlayError, match="3 trials in a row failed"):
            search(quick, tmp_path, SETTINGS)
    study, _ = search(quick, tmp_path, SETTINGS)
    states = states_of(study)
    assert states.count("complete") == 10
    assert states.count("fail") <= 3


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"n_trials": 0}, "trials must be between 1"),
        ({"n_replicates": -2}, "replicates must be between 1"),
        ({"seed": -1}, "seed must be between 0"),
        ({"design_size": 0}, "design size must be between 1 and"),
    ],
)
def test_settings_out_of_range_are_named(settings: dict[str, int], part: str) -> None:
    with pytest.raises(InputError, match=part):
        SearchSettings(**settings)


def test_words_survive_a_stop(words: Experiment, tmp_path: Path) -> None:
    """A study read back proposes what an uninterrupted one does; all choices are allowed ones."""
    experiment = words.with_cost(PLAYOUT_MOVES)
    settings = SearchSettings(n_trials=11, n_replicates=2, seed=3, sampler="nehvi", design_size=8)
    unbroken, resumed = unbroken_and_stopped(experiment, tmp_path, settings, 19)
    assert outcome(resumed) == outcome(unbroken)
    assert len(outcome(resumed)) == 11
    (choice,) = experiment.space.categorical
    drawn = [trial.params["leaf_value"] for trial in trials_of(resumed)]
    assert {type(word) for word in drawn} == {str}
    assert set(drawn[:8]) == set(choice.choices)
    assert set(drawn) <= set(choice.choices)
