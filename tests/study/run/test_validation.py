"""Validation: points played again, on which seeds, how long, and after a stop."""

import contextlib
import math
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.study.conftest import QUICK
from tests.study.made_studies import (
    data_of,
    new_study,
    new_study_in,
    store_point,
    store_trial,
    stored_points,
)
from tests.study.run.test_search import StopHereError, Watch
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.location import locate
from thetafront.study.log.log import Log
from thetafront.study.log.point import Point, theta_key
from thetafront.study.log.seeds import SEEDS_A_POINT, game_seed, validation_seed
from thetafront.study.log.storage import create_or_resume
from thetafront.study.log.tables import GameRow
from thetafront.study.log.writer import StudyWriter, Write
from thetafront.study.model.study_model import choose_points, fit_study
from thetafront.study.run.dispatch import Dispatch, play_here
from thetafront.study.run.search import Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import Snapshot
from thetafront.study.run.stopping import Precision
from thetafront.study.run.validation import Validation
from thetafront.study.run.workers import Finished, PlayError, Task, Workers
from thetafront.study.samplers.design import draw_design

pytestmark = pytest.mark.usefixtures("no_processes")

SEED = 5
SETTINGS = SearchSettings(n_trials=8, n_replicates=2, seed=SEED, sampler="random", design_size=4)
EXACT = QUICK.with_cost(PLAYOUT_MOVES)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished search: eight trials of two games."""
    folder = tmp_path_factory.mktemp("searched")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(EXPERIMENTS, "quick", QUICK)
        study = new_study_in(folder, SETTINGS.record(EXACT))
        source = Search(EXACT, study, SETTINGS, 1, lambda _: None)
        play_here(source, 1, Watch())
    return folder


@pytest.fixture
def opened(quick: Experiment, searched: Path, tmp_path: Path) -> Callable[[], Log]:
    """Opens a copy of the finished search anew, as another process would."""
    shutil.copytree(searched, tmp_path, dirs_exist_ok=True)
    return lambda: create_or_resume(locate("s", tmp_path, None), SETTINGS.record(EXACT))


def points_of(study: Log, n_points: int = 3) -> list[Point]:
    model = fit_study(data_of(study, EXACT, seed=SEED))
    assert model is not None
    return choose_points(model, data_of(study, EXACT), n_points)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show the progress after each game: a task has one, and each job one task."""
    monkeypatch.setattr(Workers, "seconds_a_task", 0.0)
    monkeypatch.setattr(Validation, "tasks_per_worker", 1)


def validate(
    study: Log,
    points: list[Point],
    precision: Precision,
    jobs: int = 1,
    stop_after: int | None = None,
) -> tuple[Validation, list[Snapshot]]:
    """Validate points; stop after some games of this run if asked to."""
    run = Validation(study, data_of(study, EXACT, seed=SEED), points, precision)
    watch = Watch(None if stop_after is None else run.n_games_before + stop_after)
    with contextlib.suppress(StopHereError):
        play_here(run, jobs, watch)
    return run, watch.snapshots


def stored(study: Log) -> dict[str, dict[int, tuple[int, int, int]]]:
    """What is kept of each point's games: seed, score and last board, by replicate."""
    return {
        point.key: {r: (g.seed, g.score, g.end_board) for r, g in point.games.items()}
        for point in stored_points(study, EXACT)
    }


def test_workers_play_each_point_evenly_on_fresh_seeds(
    opened: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two real workers: seeds, fairness, the cap, and what the study holds afterwards."""
    study = opened()
    before = data_of(study, EXACT).trials
    points = points_of(study)
    jobs = 2
    data = data_of(study, EXACT, seed=SEED)
    run = Validation(study, data, points, Precision(1.0, most_games=12))

    class Fair(Watch):
        def show(self, now: Snapshot, dispatch: Dispatch[Any]) -> None:
            super().show(now, dispatch)
            counts = [len(point.games) for point in run.points]
            assert max(counts) - min(counts) <= 2 * jobs, "no more than games in flight"

    watch = Fair()
    monkeypatch.setattr(Workers, "seconds_a_task", 0.0)  # short games come several in a task
    play_here(run, jobs, watch)
    assert run.done

    study = opened()  # read back by another process
    after = stored_points(study, EXACT)
    known = {point.key: (point.origin, point.params) for point in after}
    assert known == {point.key: (point.origin, point.params) for point in points}
    trials = data_of(study, EXACT).trials
    search_seeds = {game.seed for trial in trials for game in trial.games.values()}
    assert [point.number for point in run.points] == list(range(len(points)))
    assert {point.key: point.number for point in after} == {p.key: p.number for p in run.points}
    for point in after:
        assert sorted(point.games) == list(range(12))
        seeds = {r: game.seed for r, game in point.games.items()}
        first = SEED * 1_000_000 + 500_000 + 20_000 * point.number
        assert seeds == {r: first + r for r in range(12)}
        assert not search_seeds & set(seeds.values())
        assert point.in_order == [point.games[r] for r in range(12)]
    assert trials == before, "trials are as before"

    for point in after:
        agent = EXACT.build(point.params)
        for replicate in (0, 7):
            game = point.games[replicate]
            again: Game = agent.play(game.seed)
            assert (again.score, again.end_board) == (game.score, game.end_board)

    last = watch.snapshots[-1]
    n_games = 12 * len(points)
    assert (last.unit, last.n_units_done, last.n_units) == ("points", len(points), len(points))
    assert last.n_games_done == last.n_games == n_games
    widest = max(
        np.std(EXACT.goal.samples(point.in_order), ddof=1) / math.sqrt(12) for point in after
    )
    noted = float(
        re.fullmatch(r"largest standard error (.+) points", last.note)[1].replace(",", "")
    )
    assert noted == pytest.approx(widest, rel=0.5), "shrunk towards that of the others"
    assert 0.0 < watch.utilization <= 1.0


def test_a_validation_stopped_anywhere_continues_and_repeats_nothing(
    opened: Callable[[], Log], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    precision = Precision(1.0, most_games=5)
    whole: dict[str, dict[int, tuple[int, int, int]]] = {
        point.key: {
            r: (game.seed, game.score, game.end_board)
            for r in range(5)
            for game in [EXACT.build(point.params).play(validation_seed(SEED, number, r))]
        }
        for number, point in enumerate(points_of(opened()))
    }
    written: Counter[Any] = Counter()
    write = StudyWriter.write

    def counted(self: StudyWriter, *writes: Write) -> None:
        written.update(
            (each.number, each.replicate) for each in writes if isinstance(each, GameRow)
        )
        write(self, *writes)

    monkeypatch.setattr(StudyWriter, "write", counted)
    for n_games in (1, 4, 6):
        run, _ = validate(opened(), points_of(opened()), precision, stop_after=n_games)
        assert not run.done
    counts = [len(games) for games in stored(opened()).values()]
    assert sum(counts) == 1 + 4 + 6
    assert max(counts) - min(counts) <= 1
    run, snapshots = validate(opened(), points_of(opened()), precision)
    assert run.done
    assert run.n_games_before == 11
    assert snapshots[0].n_games_done == 12
    assert stored(opened()) == whole
    assert set(written.values()) == {1}
    assert len(written) == sum(map(len, whole.values()))

    run, snapshots = validate(opened(), points_of(opened()), precision)
    assert run.done
    assert len(snapshots) == 0, "there is nothing left to play"


def test_raising_the_cap_adds_games_to_the_same_points(
    opened: Callable[[], Log], here: None
) -> None:
    study = opened()
    validate(study, points_of(study), Precision(1.0, most_games=3))
    before = stored(study)
    run, _ = validate(study, points_of(study), Precision(1.0, most_games=5))
    after = stored(study)
    assert set(after) == set(before)
    assert run.n_games_before == 3 * len(before)
    for key, games in before.items():
        assert sorted(after[key]) == [0, 1, 2, 3, 4]
        assert {r: after[key][r] for r in range(3)} == games
    run, snapshots = validate(study, points_of(study), Precision(1.0, most_games=2))
    assert run.done, "a lower cap is met already"
    assert snapshots == []


def test_other_points_join_those_that_are_there(opened: Callable[[], Log], here: None) -> None:
    study = opened()
    precision = Precision(1.0, most_games=2)
    one = [Point({"n_playouts": 2}, "trial 1")]
    two = [Point({"n_playouts": 3}, "proposal")]
    validate(study, one, precision)
    validate(study, two, precision)
    known = {point.key: (point.origin, len(point.games)) for point in stored_points(study, EXACT)}
    assert known == {one[0].key: ("trial 1", 2), two[0].key: ("proposal", 2)}
    # The same θ, found another way, keeps its games and its first name.
    again = [Point({"n_playouts": 2}, "proposal")]
    validate(study, again, Precision(1.0, most_games=3))
    known = {point.key: (point.origin, len(point.games)) for point in stored_points(study, EXACT)}
    assert known == {one[0].key: ("trial 1", 3), two[0].key: ("proposal", 2)}


def test_a_point_keeps_its_seeds(opened: Callable[[], Log], here: None) -> None:
    """Also one without games yet; a point that joins it gets its own seeds."""
    study = opened()
    one, two = ({"n_playouts": n} for n in (2, 3))
    store_point(study, one, {}, "trial 1")
    for most_games in (2, 4):
        points = [Point(each, "proposal") for each in (two, one)]
        validate(study, points, Precision(1.0, most_games=most_games))
    seeds = {
        point.key: [game.seed for game in point.in_order] for point in stored_points(study, EXACT)
    }
    assert seeds == {
        theta_key(one): [validation_seed(SEED, 0, r) for r in range(4)],
        theta_key(two): [validation_seed(SEED, 1, r) for r in range(4)],
    }


def test_a_point_stops_when_it_is_known_well_enough(
    opened: Callable[[], Log], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores of ±2 % need the fewest games, scores of ±50 % many: 2,500² over 400² and ⅓ more."""

    def play(self: PureMonteCarlo, seed: int) -> Game:
        swing = 0.02 if self.n_playouts == 2 else 0.5
        score = round(5000 * (1.0 + swing * (1 if seed % 2 else -1)))
        return Game(seed, score, 100, 0.1, 1000, 256, 0)

    monkeypatch.setattr(PureMonteCarlo, "play", play)
    for module in ("stopping", "validation"):
        monkeypatch.setattr(f"thetafront.study.run.{module}.MIN_GAMES", 10)
    study = opened()
    points = [Point({"n_playouts": n}, f"trial {n}") for n in (2, 3)]
    run, snapshots = validate(study, points, Precision(400.0, most_games=1000))
    assert run.done
    steady, wild = (len(point.games) for point in run.points)
    assert steady == 10
    # 39.1, times n/(n − 1) for the sample variance; the last round is planned after ten games.
    needed = 2500**2 / 400**2
    assert needed < wild <= needed * 10 / 9 + 1
    error = np.std([game.score for game in run.points[1].in_order], ddof=1) / math.sqrt(wild)
    assert 0.92 * 400.0 < error <= 400.0
    assert snapshots[-1].n_games == steady + wild


@pytest.fixture
def two_spreads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two playouts score ±2%, three ±50%; a game takes ten seconds."""

    def play(self: PureMonteCarlo, seed: int) -> Game:
        swing = 0.02 if self.n_playouts == 2 else 0.5
        score = round(5000 * (1.0 + swing * (1 if seed % 2 else -1)))
        return Game(seed, score, 100, 10.0, 1000 * self.n_playouts, 256, 0)

    monkeypatch.setattr(PureMonteCarlo, "play", play)


def test_rounds_depend_on_the_games_alone_not_on_jobs(two_spreads: None) -> None:
    """One, two or five games in flight, the last of which come back first."""
    after_rounds = []
    for jobs in (1, 2, 5):
        study = new_study()
        points = [Point({"n_playouts": n}, f"trial {n}") for n in (2, 3)]
        run = Validation(study, data_of(study, EXACT, seed=SEED), points, Precision(1.0, 1000))
        counts: list[list[int]] = []
        while len(counts) < 3:
            line: list[Task[Any]] = []
            while len(line) < jobs and (task := run.next_task()) is not None:
                line.append(task)
                if not run.round:
                    break
            for task in reversed(line):
                run.record(Finished(task.key, (task.agent.play(task.seeds[0]),), "", 0.0, 1.0))
            if not run.round:
                counts.append([len(point.games) for point in run.points])
        after_rounds.append(counts)
    assert after_rounds[0] == after_rounds[1] == after_rounds[2]
    first, second, third = after_rounds[0]
    assert first == [20, 20]
    assert sum(second) == 40 + 6, "a minute of games that take ten seconds"
    assert sum(third) > sum(second)


def test_nothing_is_handed_out_between_rounds(opened: Callable[[], Log], two_spreads: None) -> None:
    """The next round waits for the last game of this one."""
    study = opened()
    points = [Point({"n_playouts": 2}, "trial 2")]
    run = Validation(study, data_of(study, EXACT, seed=SEED), points, Precision(1.0, 30))
    tasks = [run.next_task() for _ in range(20)]
    assert None not in tasks
    assert run.next_task() is None
    assert not run.done
    for task in tasks:
        assert task is not None
        run.record(Finished(task.key, (task.agent.play(task.seeds[0]),), "", 0.0, 1.0))
    assert run.next_task() is not None


def test_an_open_end_aims_at_the_precision_and_continues(
    opened: Callable[[], Log], here: None, two_spreads: None
) -> None:
    study = opened()
    points = [Point({"n_playouts": 2}, "trial 2")]
    precision = Precision(500.0, most_games=30, open_end=True)
    run, snapshots = validate(study, points, precision, stop_after=45)
    assert not run.done
    assert {each.n_games for each in snapshots} == {SEEDS_A_POINT}
    assert (snapshots[28].n_units_done, snapshots[29].n_units_done) == (0, 1)
    assert snapshots[-1].n_games_done == 45


def test_a_game_that_cannot_be_played_names_its_point(
    opened: Callable[[], Log], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened()
    play = PureMonteCarlo.play

    def sometimes(self: PureMonteCarlo, seed: int) -> Game:
        if self.n_playouts == 4 and seed % 10 == 2:
            raise RuntimeError("no idea how")
        return play(self, seed)

    with monkeypatch.context() as broken:
        broken.setattr(PureMonteCarlo, "play", sometimes)
        with pytest.raises(PlayError) as raised:
            validate(study, points_of(study), Precision(1.0, most_games=4))
    assert str(raised.value) == "four playouts cannot be played: RuntimeError: no idea how"
    before = stored(study)
    assert sum(len(games) for games in before.values()) >= 2 * len(before), "nothing is lost"
    validate(study, points_of(study), Precision(1.0, most_games=4))
    after = stored(study)
    assert all(sorted(games) == [0, 1, 2, 3] for games in after.values())
    for key, games in before.items():
        assert games.items() <= after[key].items()


def test_a_study_with_words_is_validated(words: Experiment, tmp_path: Path) -> None:
    experiment = words.with_cost(PLAYOUT_MOVES)
    study = new_study_in(tmp_path, SETTINGS.record(experiment), "w")
    for values in draw_design("sobol", experiment.space, 8, SEED):
        games = [experiment.build(values).play(game_seed(SEED, r)) for r in range(2)]
        store_trial(study, experiment, values, games)
    model = fit_study(data_of(study, experiment, seed=SEED))
    assert model is not None
    points = choose_points(model, data_of(study, experiment), 2)
    (choice,) = experiment.space.categorical
    assert all(choice.check(point.params["leaf_value"]) for point in points)
    precision = Precision(500.0, 2, 2)
    data = data_of(study, experiment, seed=SEED)
    play_here(Validation(study, data, points, precision), 1, Watch())
    stored = {point.key: point for point in stored_points(study, experiment)}
    for point in points:
        assert stored[point.key].params == point.params
        agent = experiment.build(point.params)
        for game in stored[point.key].games.values():
            assert agent.play(game.seed).score == game.score


def test_an_agent_that_learns_plays_several_games_a_task(
    opened: Callable[[], Log], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a stop, too; the games are those of their seeds."""
    monkeypatch.setattr(PureMonteCarlo, "learns", True)
    sizes: list[int] = []
    submit = Workers.submit

    def counted(self: Workers[Any], task: Task[Any]) -> None:
        assert not task.side_by_side
        sizes.append(len(task.seeds))
        submit(self, task)

    monkeypatch.setattr(Workers, "submit", counted)
    precision = Precision(1.0, most_games=60)
    study = opened()
    points = points_of(study)
    validate(study, points, precision, jobs=2, stop_after=70)
    study = opened()
    validate(study, points_of(study), precision, jobs=2)
    assert max(sizes) > 3
    for point in stored_points(study, EXACT):
        assert sorted(point.games) == list(range(60))
        for replicate, game in point.games.items():
            assert game.seed == validation_seed(SEED, point.number, replicate)
        agent = EXACT.build(point.params)
        assert agent.play(point.games[59].seed).score == point.games[59].score


def test_a_cluster_plays_together_what_one_machine_does(
    opened: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games played alone may share a task there; blocks of games side by side are the same."""
    study = opened()
    agent = EXACT.build({"n_playouts": 1})
    monkeypatch.setattr(type(agent), "n_side_by_side", 8)
    points = [replace(point, games={0: agent.play(1)}) for point in points_of(study)]

    def tasks(seconds: float) -> list[Task[Any]]:
        run = Validation(study, data_of(study, EXACT, seed=SEED), points, Precision(1.0, 40))
        run.seconds_a_task, run.n_workers = seconds, 1
        return list(iter(run.next_task, None))

    here, there = tasks(0.0), tasks(1000.0)
    of_both = [[each for each in some if each.side_by_side] for some in (here, there)]
    assert len(of_both[0]) == 2 * len(points)
    assert sorted(each.key for each in of_both[0]) == sorted(each.key for each in of_both[1])
    assert all(len(each.seeds) == 8 for some in of_both for each in some)
    seeds = [sorted(seed for each in some for seed in each.seeds) for some in (here, there)]
    assert seeds[0] == seeds[1]
    alone = [[len(each.seeds) for each in some if not each.side_by_side] for some in (here, there)]
    assert max(alone[0]) == 1
    assert max(alone[1]) > 1


@pytest.mark.parametrize(
    ("n_asked", "seconds_left", "seconds_to_choose", "added"),
    [
        (4, math.inf, 0.1, [3, 1, 0]),
        (4, 400.0, 0.1, [3, 1, 0]),
        (4, 400.0, 100.0, [4, 0]),
        (4, 200.0, 0.1, [3, 0]),
        (4, 100.0, 0.1, [1, 0]),
        (4, 50.0, 0.1, [0]),
        (5, math.inf, 0.1, [3, 3, 0]),  # some were left out
        (3, math.inf, 0.1, [2, 0]),  # a repeated command begins with more than it asks for
    ],
)
def test_points_are_added_if_there_is_time_for_their_first_games(
    opened: Callable[[], Log],
    here: None,
    n_asked: int,
    seconds_left: float,
    seconds_to_choose: float,
    added: list[int],
) -> None:
    """An agent learns for a minute; two workers may spend half of the time on new points.

    Three points are added at once, but all if it takes long to choose them.
    """
    study = opened()
    points = points_of(study)
    validate(study, points, Precision(1.0, most_games=20))
    fresh = (Point({"n_playouts": n}, "proposal") for n in range(11, 20))
    said: list[str] = []
    run = Validation(
        study,
        data_of(study, EXACT, seed=SEED),
        points,
        Precision(1.0, most_games=20, n_points=n_asked - 1, open_end=True),
        said.append,
        more=lambda _, __, n: list(islice(fresh, n)),
    )
    run.learning_seconds, run.n_workers, run.seconds_to_choose = 60.0, 2, seconds_to_choose
    for n in added:
        assert not run.is_full
        n_before = len(run.points)
        run.seconds_left = seconds_left - 30.0 * (n_before - len(points))
        run.fill_in()
        assert len(run.points) == n_before + n
    assert run.is_full
    full = len(run.points) == 2 * n_asked
    assert len(said) == bool(added[0]) + full, "once, and when it is full"
