"""Validation: what is played again, on which seeds, how long, and after a stop."""

import contextlib
import json
import math
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from agents.pmcts import PureMonteCarlo
from agents.twenty48 import Game2048 as Game
from study.batch import games_of
from study.cost import PLAYOUT_MOVES
from study.design import draw_design
from study.errors import InputError
from study.experiment import EXPERIMENTS, Experiment
from study.manifest import ROOT
from study.progress import Snapshot
from study.replicate import game_seed, game_to_record
from study.search import Search, Settings
from study.space import Parameter, Space
from study.storage import create_or_resume, place_of
from study.validation import (
    FEWEST_GAMES,
    Belief,
    Precision,
    Validated,
    Validation,
    ValidationError,
    belief_of,
    choose_points,
    key_of,
    tidy,
    validated_points,
)
from study.workers import Finished
from tests.study.conftest import QUICK

SEED = 5
SETTINGS = Settings(n_trials=8, n_replicates=2, seed=SEED, sampler="random", design_size=4)
EXACT = QUICK.with_cost(PLAYOUT_MOVES)


class StopHereError(Exception):
    """Ends a validation from within."""


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Matrices this small are slower with more."""
    with threadpool_limits(1):
        yield


# How precise


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"standard_error": 0.0}, "standard error: 0 given, a finite number above 0 allowed"),
        ({"standard_error": -3.5}, "standard error: -3.5 given, a finite number above 0 allowed"),
        (
            {"standard_error": math.inf},
            "standard error: inf given, a finite number above 0 allowed",
        ),
        (
            {"standard_error": math.nan},
            "standard error: nan given, a finite number above 0 allowed",
        ),
        ({"most_games": 1}, "validation games: 1 given, 2 to 400000 allowed"),
        ({"most_games": 400_001}, "validation games: 400001 given, 2 to 400000 allowed"),
        ({"n_points": 0}, "validation points: 0 given, 2 to 1000 allowed"),
        ({"n_points": 1001}, "validation points: 1001 given, 2 to 1000 allowed"),
    ],
)
def test_a_precision_out_of_range_is_refused_in_one_line(
    given: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        Precision(**given)  # type: ignore[arg-type]
    assert str(refused.value) == message


def scores_of_deviation(deviation: int, n: int) -> list[int]:
    """Half of them above 5000 and half below: their sample variance is deviation²·n/(n − 1)."""
    return [5000 - deviation, 5000 + deviation] * (n // 2)


def test_few_games_do_not_say_how_many_are_needed() -> None:
    precision = Precision(standard_error=1.0, most_games=5000)
    for n in (0, 2, 98):
        assert precision.n_wanted(scores_of_deviation(900, n)) == FEWEST_GAMES == 100
    assert Precision(standard_error=1.0, most_games=30).n_wanted([1, 99_999]) == 30


def test_games_wanted_are_the_variance_over_the_squared_error() -> None:
    """Deviation 1000 in 100 games: variance 10⁶·100/99 = 1,010,101; an error of 40 takes 632."""
    scores = scores_of_deviation(1000, 100)
    assert Precision(standard_error=40.0, most_games=5000).n_wanted(scores) == 632
    assert Precision(standard_error=40.0, most_games=600).n_wanted(scores) == 600, "the cap"
    assert Precision(standard_error=200.0, most_games=600).n_wanted(scores) == 100, "the fewest"
    more = scores_of_deviation(1000, 700)
    assert Precision(standard_error=40.0, most_games=5000).n_wanted(more) == 700, "they are there"
    assert Precision(standard_error=40.0, most_games=30).n_wanted(scores[:30]) == 30


# What is played


def test_a_key_names_the_values_whatever_their_order() -> None:
    one, other = {"a": 1, "b": 0.25}, {"b": 0.25, "a": 1}
    assert key_of(one) == key_of(other)
    assert len(key_of(one)) == 10
    assert int(key_of(one), 16) >= 0
    assert key_of(json.loads(json.dumps(one))) == key_of(one), "read back, the same"
    assert len({key_of(each) for each in (one, {"a": 0.25, "b": 1}, {"a": 1}, {"a": 2})}) == 4


TWO = Experiment(
    name="two",
    title="two parameters, for tests",
    agent="mcmdp",
    space=Space(
        (
            Parameter("theta1", 16, 2048, integer=True, log=True),
            Parameter("theta5", 1.0, 10.0, log=True),
        )
    ),
    reference_score=0.0,
    reference_costs={"seconds_per_move": 0.01, "playout_moves_per_move": 1e6},
    baselines={
        "the author's": {"theta1": 500, "theta5": 6.25},
        "small": {"theta1": 16, "theta5": 9.5},
    },
    cost=PLAYOUT_MOVES,
)


def two_study(n: int = 24) -> optuna.Study:
    """Trials of ``TWO``: a larger θ₁ scores more and costs more, θ₅ is best at its middle."""
    study = optuna.create_study(directions=["maximize", "minimize"])
    rng = np.random.default_rng(4)
    for _ in range(n):
        params = TWO.space.from_unit(rng.random(2).tolist())
        u1, u5 = TWO.space.to_unit(params)
        mean = 8000.0 + 6000.0 * u1 - 8000.0 * (u5 - 0.5) ** 2
        cost = 10.0 ** (3.0 + 2.0 * u1 + 0.1 * u5)
        trial = optuna.trial.create_trial(
            params=params, distributions=TWO.space.distributions(), values=[mean, cost]
        )
        study.add_trial(trial)
    # One that failed, and one that is still running: none of them is validated.
    study.add_trial(
        optuna.trial.create_trial(
            state=optuna.trial.TrialState.FAIL,
            params={"theta1": 2048, "theta5": 3.0},
            distributions=TWO.space.distributions(),
        )
    )
    study.ask(TWO.space.distributions())
    return study


@pytest.fixture(scope="module")
def two() -> tuple[optuna.Study, Belief, list[Validated]]:
    study = two_study()
    belief = belief_of(study, TWO, seed=1)
    assert belief is not None
    return study, belief, choose_points(belief, study, TWO, 6)


def test_nothing_is_believed_before_a_trial_is_complete() -> None:
    study = optuna.create_study(directions=["maximize", "minimize"])
    assert belief_of(study, TWO, seed=1) is None
    study.ask(TWO.space.distributions())
    assert belief_of(study, TWO, seed=1) is None


def test_baselines_are_validated_as_they_are(
    two: tuple[optuna.Study, Belief, list[Validated]],
) -> None:
    _, _, points = two
    by_origin = {point.origin: point.params for point in points}
    assert list(by_origin)[:2] == ["the author's", "small"]
    assert {name: by_origin[name] for name in TWO.baselines} == TWO.baselines


def test_the_best_trial_of_each_budget_is_validated(
    two: tuple[optuna.Study, Belief, list[Validated]],
) -> None:
    """By definition: of the trials that the model thinks cheap enough, the one of highest mean."""
    study, belief, points = two
    complete = [t for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    mean = belief.posterior.mean(belief.cube.encode([t.params for t in complete]))
    both = np.concatenate([belief.evaluated.mean, belief.anywhere.mean])
    cheapest, dearest = -both[:, 1].max(), -both[:, 1].min()
    best = set()
    for budget in cheapest + (dearest - cheapest) * np.arange(6) / 5 + 1e-9:
        allowed = [k for k in range(len(complete)) if -mean[k, 1] <= budget]
        if allowed:
            best.add(complete[max(allowed, key=lambda k: mean[k, 0])].number)
    assert len(best) >= 3
    named = {point.origin: point.params for point in points if point.origin.startswith("trial ")}
    assert set(named) == {f"trial {number}" for number in best}
    for number in best:
        assert named[f"trial {number}"] == study.trials[number].params


def test_proposals_are_in_the_space_rounded_and_better_than_trials(
    two: tuple[optuna.Study, Belief, list[Validated]],
) -> None:
    _, belief, points = two
    proposals = [point.params for point in points if point.origin == "proposal"]
    assert 4 <= len(proposals) <= 6
    for params in proposals:
        for each in TWO.space:
            assert each.check(params[each.name]) == params[each.name]
        assert isinstance(params["theta1"], int)
        assert params["theta5"] == float(f"{params['theta5']:.3g}")
    score, minus_cost = belief.posterior.mean(belief.cube.encode(proposals)).T
    for trial_score, trial_minus_cost in belief.evaluated.mean:
        # θ₅ is rounded by half a percent at most: ten points, and 0.001 decades.
        beats = (trial_score > score + 10.0) & (trial_minus_cost > minus_cost + 0.001)
        assert not beats.any()


def test_no_point_is_validated_twice(two: tuple[optuna.Study, Belief, list[Validated]]) -> None:
    study, belief, points = two
    assert all(point.key == key_of(point.params) for point in points)
    assert len({point.key for point in points}) == len(points)
    assert all(set(point.params) == {"theta1", "theta5"} for point in points)
    assert all(not point.games for point in points)
    again = choose_points(belief, study, TWO, 6)
    assert [(each.key, each.origin) for each in again] == [(p.key, p.origin) for p in points]
    many = choose_points(belief, study, TWO, 200)
    assert len({point.key for point in many}) == len(many) > len(points)


def test_a_trial_that_is_a_baseline_is_played_as_the_baseline() -> None:
    study = optuna.create_study(directions=["maximize", "minimize"])
    for n in (2, 4, 9):
        trial = optuna.trial.create_trial(
            params={"n_playouts": n},
            distributions=EXACT.space.distributions(),
            values=[1000.0 * n, 100.0 * n],
        )
        study.add_trial(trial)
    belief = belief_of(study, EXACT, seed=0)
    assert belief is not None
    points = choose_points(belief, study, EXACT, 50)
    four = [point.origin for point in points if point.params == {"n_playouts": 4}]
    assert four == ["four playouts"]
    assert {"trial 0", "trial 2"} <= {point.origin for point in points}


def test_tidy_leaves_three_digits_and_whole_numbers() -> None:
    assert tidy({"theta1": 1234, "theta5": 1.23456}, TWO) == {"theta1": 1234, "theta5": 1.23}
    assert tidy({"theta1": 17, "theta5": 9.9999}, TWO) == {"theta1": 17, "theta5": 10.0}
    assert tidy({"theta1": 17, "theta5": 1.0004}, TWO) == {"theta1": 17, "theta5": 1.0}


# How it is played


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished search: eight trials of two games."""
    folder = tmp_path_factory.mktemp("searched")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(EXPERIMENTS, "quick", QUICK)
        place = place_of("s", folder, None)
        place.folder.mkdir()
        study, storage = create_or_resume(place, SETTINGS.record(EXACT))
        run = Search(EXACT, study, storage, SETTINGS, 1, lambda _: None, lambda _: None)
        run.prepare()
        run.run()
    return folder


@pytest.fixture
def opened(quick: Experiment, searched: Path, tmp_path: Path) -> Callable[[], optuna.Study]:
    """Opens a copy of the finished search anew, as another process would."""
    shutil.copytree(searched, tmp_path, dirs_exist_ok=True)
    return lambda: create_or_resume(place_of("s", tmp_path, None), SETTINGS.record(EXACT))[0]


def points_of(study: optuna.Study, n_points: int = 3) -> list[Validated]:
    belief = belief_of(study, EXACT, SEED)
    assert belief is not None
    return choose_points(belief, study, EXACT, n_points)


class Here:
    """Plays in this process what workers would, the earliest first, one a look."""

    def __init__(self, jobs: int) -> None:
        self.line: list[tuple[Any, PureMonteCarlo, int]] = []
        self.returned: list[Finished[Any]] = []
        self.n_deaths = 0

    def __enter__(self) -> "Here":
        self.returned = Line()
        return self

    def __exit__(self, *_: object) -> None:
        self.line.clear()

    def __len__(self) -> int:
        return len(self.line)

    def submit(self, key: Any, agent: PureMonteCarlo, seed: int) -> None:
        self.line.append((key, agent, seed))

    def collect(self, timeout: float, also: object = None) -> None:
        key, agent, seed = self.line.pop(0)
        try:
            self.returned.append(Finished(key, agent.play(seed), "", 0.0, 1.0))
        except RuntimeError as error:
            self.returned.append(Finished(key, None, str(error)))


class Line(list[Any]):
    def popleft(self) -> Any:
        return self.pop(0)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Spares a test the seconds that processes take to start."""

    class Workers(Here):
        def __class_getitem__(cls, _: object) -> type[Here]:
            return cls

    monkeypatch.setattr("study.dispatch.Workers", Workers)
    return


def validate(
    study: optuna.Study,
    points: list[Validated],
    precision: Precision,
    jobs: int = 1,
    stop_after: int | None = None,
    look: Callable[[Validation], None] = lambda _: None,
) -> tuple[Validation, list[Snapshot]]:
    """Validate points; stop after some games of this run if asked to."""
    snapshots: list[Snapshot] = []

    def on_change(now: Snapshot) -> None:
        snapshots.append(now)
        look(run)
        if stop_after is not None and now.n_games_now >= stop_after:
            raise StopHereError

    run = Validation(EXACT, study, SEED, points, precision, jobs, on_change, lambda _: None)
    run.prepare()
    with contextlib.suppress(StopHereError):
        run.run()
    return run, snapshots


def stored(study: optuna.Study) -> dict[str, dict[int, tuple[int, int, int]]]:
    """What is kept of each point's games: seed, score and last board, by replicate."""
    return {
        point.key: {r: (g.seed, g.score, g.end_board) for r, g in point.games.items()}
        for point in validated_points(study)
    }


def test_workers_play_each_point_evenly_on_fresh_seeds(
    opened: Callable[[], optuna.Study],
) -> None:
    """Two real workers: seeds, fairness, the cap, and what the study holds afterwards."""
    study = opened()
    before = {trial.number: dict(trial.user_attrs) for trial in study.trials}
    points = points_of(study)

    def fair(run: Validation) -> None:
        counts = [len(point.games) for point in run.points]
        assert max(counts) - min(counts) <= 2 * run.jobs, "no more than games in flight"

    run, snapshots = validate(study, points, Precision(1.0, most_games=12), jobs=2, look=fair)
    assert run.done

    study = opened()  # read back by another process
    after = validated_points(study)
    known = {point.key: (point.origin, point.params) for point in after}
    assert known == {point.key: (point.origin, point.params) for point in points}
    search_seeds = {game.seed for trial in study.trials for game in games_of(trial).values()}
    assert search_seeds == {game_seed(SEED, r) for r in range(2)}
    for point in after:
        assert sorted(point.games) == list(range(12))
        seeds = {r: game.seed for r, game in point.games.items()}
        assert seeds == {r: SEED * 1_000_000 + 500_000 + r for r in range(12)}
        assert not search_seeds & set(seeds.values())
        assert point.scores == [point.games[r].score for r in range(12)]
    assert {t.number: dict(t.user_attrs) for t in study.trials} == before, "trials are as before"

    for point in after:
        agent = EXACT.build(point.params)
        for replicate in (0, 7):
            game = point.games[replicate]
            again: Game = agent.play(game.seed)
            assert (again.score, again.end_board) == (game.score, game.end_board)

    last = snapshots[-1]
    n_games = 12 * len(points)
    assert (last.unit, last.n_units_done, last.n_units) == ("points", len(points), len(points))
    assert last.n_games_done == last.n_games == last.n_games_now == n_games
    assert last.note == "12 games a point at least"
    assert 0.0 < last.utilization <= 1.0


def test_a_validation_stopped_anywhere_goes_on_and_repeats_nothing(
    opened: Callable[[], optuna.Study], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    precision = Precision(1.0, most_games=5)
    whole: dict[str, dict[int, tuple[int, int, int]]] = {
        point.key: {
            r: (game.seed, game.score, game.end_board)
            for r in range(5)
            for game in [EXACT.build(point.params).play(game_seed(SEED, 500_000 + r))]
        }
        for point in points_of(opened())
    }
    written: Counter[str] = Counter()
    write = optuna.Study.set_user_attr

    def counted(self: optuna.Study, name: str, value: object) -> None:
        written[name] += name.startswith("validation:")
        write(self, name, value)

    monkeypatch.setattr(optuna.Study, "set_user_attr", counted)
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
    assert all(n == 1 for name, n in written.items() if name.startswith("validation:"))

    run, snapshots = validate(opened(), points_of(opened()), precision)
    assert run.done
    assert snapshots == [], "there is nothing left to play"


def test_raising_the_cap_adds_games_to_the_same_points(
    opened: Callable[[], optuna.Study], here: None
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


def test_other_points_join_those_that_are_there(
    opened: Callable[[], optuna.Study], here: None
) -> None:
    study = opened()
    precision = Precision(1.0, most_games=2)
    one = [Validated(key_of({"n_playouts": 2}), {"n_playouts": 2}, "trial 1")]
    two = [Validated(key_of({"n_playouts": 3}), {"n_playouts": 3}, "proposal")]
    validate(study, one, precision)
    validate(study, two, precision)
    known = {point.key: (point.origin, len(point.games)) for point in validated_points(study)}
    assert known == {one[0].key: ("trial 1", 2), two[0].key: ("proposal", 2)}
    # The same θ, found another way, keeps its games and its first name.
    again = [Validated(one[0].key, {"n_playouts": 2}, "proposal")]
    validate(study, again, Precision(1.0, most_games=3))
    known = {point.key: (point.origin, len(point.games)) for point in validated_points(study)}
    assert known == {one[0].key: ("trial 1", 3), two[0].key: ("proposal", 2)}


def test_a_point_stops_when_it_is_known_well_enough(
    opened: Callable[[], optuna.Study], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores of ±2 % need the fewest games, scores of ±50 % many: 2,500² over 400² and ⅓ more."""

    def play(self: PureMonteCarlo, seed: int) -> Game:
        swing = 0.02 if self.n_playouts == 2 else 0.5
        score = round(5000 * (1.0 + swing * (1 if seed % 2 else -1)))
        return Game(seed, score, 100, 0.1, 1000, 256, 0)

    monkeypatch.setattr(PureMonteCarlo, "play", play)
    monkeypatch.setattr("study.validation.FEWEST_GAMES", 10)
    study = opened()
    points = [Validated(key_of({"n_playouts": n}), {"n_playouts": n}, f"trial {n}") for n in (2, 3)]
    run, snapshots = validate(study, points, Precision(400.0, most_games=1000))
    assert run.done
    steady, wild = (len(point.games) for point in points)
    assert steady == 10
    needed = 2500**2 / 400**2  # 39.1, times n/(n − 1) for the sample variance
    assert needed < wild <= needed * 1.05 + 1
    error = np.std(points[1].scores, ddof=1) / math.sqrt(wild)
    assert error == pytest.approx(400.0, rel=0.02)
    assert snapshots[-1].n_games == steady + wild


def test_a_game_that_cannot_be_played_names_its_point(
    opened: Callable[[], optuna.Study], here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened()
    play = PureMonteCarlo.play

    def sometimes(self: PureMonteCarlo, seed: int) -> Game:
        if self.n_playouts == 4 and seed % 10 == 2:
            raise RuntimeError("no idea how")
        return play(self, seed)

    with monkeypatch.context() as broken:
        broken.setattr(PureMonteCarlo, "play", sometimes)
        with pytest.raises(ValidationError) as raised:
            validate(study, points_of(study), Precision(1.0, most_games=4))
    assert str(raised.value) == "four playouts cannot be played: no idea how"
    before = stored(study)
    assert sum(len(games) for games in before.values()) >= 2 * len(before), "nothing is lost"
    validate(study, points_of(study), Precision(1.0, most_games=4))
    after = stored(study)
    assert all(sorted(games) == [0, 1, 2, 3] for games in after.values())
    for key, games in before.items():
        assert games.items() <= after[key].items()


def test_published_points_keep_their_names() -> None:
    """A θ of numbers is named as it was before there were words: its games stay its own."""
    published = pd.read_csv(ROOT / "results" / "reference" / "mcmdp" / "front.csv")
    for _, row in published.iterrows():
        assert key_of({f"theta{k}": row[f"theta{k}"] for k in range(1, 7)}) == row["point"]


def test_words_name_points_too(words: Experiment) -> None:
    params = {"n_simulations": 6, "leaf_value": "score", "exploration": 123.456}
    assert key_of(params) == key_of(dict(reversed(params.items())))
    assert key_of(params) != key_of({**params, "leaf_value": "random"})
    assert tidy(params, words) == {**params, "exploration": 123.0}


def test_a_study_with_words_is_validated(words: Experiment, tmp_path: Path) -> None:
    experiment = words.with_cost(PLAYOUT_MOVES)
    place = place_of("w", tmp_path, None)
    place.folder.mkdir()
    study, _ = create_or_resume(place, SETTINGS.record(experiment))
    for values in draw_design("sobol", experiment.space, 8, SEED):
        games = [experiment.build(values).play(game_seed(SEED, r)) for r in range(2)]
        study.add_trial(
            optuna.trial.create_trial(
                params=values,
                distributions=experiment.space.distributions(),
                values=[(games[0].score + games[1].score) / 2, experiment.cost.of(games)],
                user_attrs={f"game:{r}": game_to_record(game) for r, game in enumerate(games)},
            )
        )
    belief = belief_of(study, experiment, SEED)
    assert belief is not None
    points = choose_points(belief, study, experiment, 2)
    (choice,) = experiment.space.choices
    assert all(choice.check(point.params["leaf_value"]) for point in points)
    precision = Precision(500.0, 2, 2)
    run = Validation(experiment, study, SEED, points, precision, 1, lambda _: None, lambda _: None)
    run.prepare()
    run.run()
    stored = {point.key: point for point in validated_points(study)}
    for point in points:
        assert stored[point.key].params == point.params
        agent = experiment.build(point.params)
        for game in stored[point.key].games.values():
            assert agent.play(game.seed).score == game.score
