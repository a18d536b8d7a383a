"""When a sweep validates until its certificate is small: on made studies, without playing."""

from typing import Any

import pytest

from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.experiments.definition import Experiment
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import forecast_bounds
from thetafront.study.run import certification
from thetafront.study.run.certification import NO_GAMES, Certification, is_stuck
from thetafront.study.run.stopping import Precision, RegretTarget
from thetafront.study.samplers.fitted_model import FittedModel


@pytest.mark.parametrize(
    ("forecasts", "stuck"),
    [
        ([], False),
        ([5.0, 5.0], False),
        ([5.0, 5.0, 4.6], True),
        ([5.0, 5.0, 4.4], False),
        ([5.0, 4.4, 9.0], False),
        ([5.0, 4.4, 9.0, 4.0], True),
    ],
)
def test_forecasts_that_hardly_fall_are_stuck(forecasts: list[float], stuck: bool) -> None:
    assert is_stuck(forecasts) == stuck


def test_the_first_validation_waits_until_it_is_worth_it(quick: Experiment) -> None:
    study, said = new_study(), list[str]()
    add_trials(study, quick)
    analysis = Analysis(data_of(study, quick))

    def certification(target: float) -> Certification:
        return Certification(RegretTarget(target), Precision(100.0, n_points=4), said.append)

    easy, hard = certification(10_000.0), certification(1.0)
    n_baselines = len(quick.baselines)
    assert len(easy.choose(analysis, is_late=False)) == 4 + n_baselines
    assert said.pop().endswith("; the target is 10,000 points, so they are validated now")
    assert len(hard.choose(analysis, is_late=True)) == 4 + n_baselines
    assert said.pop() == "the search's share of the budget is spent, so points are validated now"
    assert hard.choose(analysis, is_late=False) == []
    assert hard.choose(analysis, is_late=False) == []
    start = (
        f"if {4 + n_baselines} points had all their games, the largest regret bound would be about "
    )
    end = " points; the target is 1 point, so more trials come first"
    assert [text.startswith(start) and text.endswith(end) for text in said] == [True, True]
    assert len(hard.choose(analysis, is_late=False)) == 4 + n_baselines, "trials do not help"
    assert said[-1].endswith(
        f"More trials hardly lower this, so {4 + n_baselines} are validated now"
    )
    assert not hard.is_reached(analysis)
    share = Certification(RegretTarget(0.01, is_share=True), Precision(100.0), said.append)
    assert share.choose(analysis, is_late=False) == []
    assert said[-1].endswith("% of the expected score; the target is 1%, so more trials come first")


def test_points_that_fill_gaps_are_added_if_more_trials_do_not_help(quick: Experiment) -> None:
    """Between four points, the regret is larger than the target, however many trials there are."""
    study = new_study()
    add_trials(study, quick)
    analysis = Analysis(data_of(study, quick))
    few = Certification(RegretTarget(1.0), Precision(20.0, n_points=2), [].append)
    bounds = {}
    for n in (2, 4):
        points = Certification(RegretTarget(1e9), Precision(20.0, n_points=n), [].append)
        bounds[n], _ = few.forecast(analysis, points.choose(analysis, is_late=False))
    assert bounds[4] < bounds[2]
    target = RegretTarget(bounds[4] / 0.79)
    few = Certification(target, Precision(20.0, n_points=2), [].append)
    sizes = [len(few.choose(analysis, is_late=False)) for _ in range(3)]
    assert sizes == [0, 0, 4 + len(quick.baselines)]


def test_a_forecast_allows_for_the_spread_of_so_many_games(
    quick: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variance of one game of the dearest θ is near 400², or 40% of its mean squared."""
    study, errors = new_study(), list[float]()
    add_trials(study, quick)
    analysis = Analysis(data_of(study, quick))

    def forecast(model: FittedModel, thetas: Any, error: float) -> tuple[Any, Any]:
        errors.append(error)
        return forecast_bounds(model, thetas, error)

    monkeypatch.setattr(certification, "forecast_bounds", forecast)
    for most_games in (25, 100):
        precision = Precision(None, most_games, n_points=4)
        Certification(RegretTarget(1e9), precision, [].append).choose(analysis, is_late=False)
    assert errors[0] == pytest.approx(2.0 * errors[1])
    scores = [game.score for each in analysis.data.trials for game in each.in_order]
    assert 100.0 < 10.0 * errors[1] < 0.6 * max(scores)


def test_a_point_that_pick_played_does_not_replace_the_first_validation(quick: Experiment) -> None:
    study = new_study()
    add_trials(study, quick)
    add_point(study, 10, spread(3162, 400, 100), 0.1)
    analysis = Analysis(data_of(study, quick))
    assert analysis.certificate is not None
    choice = Certification(RegretTarget(1.0), Precision(100.0, n_points=4), [].append)
    chosen = choice.choose(analysis, is_late=True)
    assert len(chosen) >= 3 + len(quick.baselines)
    assert "n_playouts" in chosen[0].params
    assert {"n_playouts": 10} not in [each.params for each in chosen]


def test_after_a_validation_predictions_are_played_at_once(quick: Experiment) -> None:
    study, said = new_study(), list[str]()
    add_trials(study, quick)
    for n in (10, 30):
        add_point(study, n, spread(round(1000 * n**0.5), 400, 100), 0.01 * n)
    analysis = Analysis(data_of(study, quick))
    found = analysis.certificate
    assert found is not None
    strict = Certification(RegretTarget(1.0), Precision(100.0, n_points=2), said.append)
    chosen = strict.choose(analysis, is_late=False)
    assert chosen
    assert not {each.key for each in chosen} & {each.key for each in analysis.data.points}
    assert "ith 95% probability, the recommended θ is within " in said[0]
    mild = Certification(
        RegretTarget(1.1 * float(found.bounds.max())), Precision(100.0, n_points=2), said.append
    )
    assert mild.is_reached(analysis)
    assert mild.choose(analysis, is_late=False) == [each for each in [found.cheaper] if each]


def test_points_get_more_games_if_these_or_nothing_else_should_lower_the_bounds(
    quick: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forecast has the error of as many games as each point would get."""
    study, said = new_study(), list[str]()
    add_trials(study, quick)
    for n in (10, 20, 30):
        add_point(study, n, spread(round(1000 * n**0.5), 400, 24), 0.01 * n)
    analysis = Analysis(data_of(study, quick))
    choice = Certification(RegretTarget(1.0), Precision(10.0), said.append)
    assert choice.precision == Precision(10.0, 25)
    asked, predicted = list[float | None](), [1.0, 0.89]

    def forecast(_: object, __: Analysis, new: Any, n_games: float | None) -> tuple[float, float]:
        assert new == []
        asked.append(n_games)
        return predicted[len(asked) % 2 - 1], predicted[len(asked) % 2 - 1]

    with monkeypatch.context() as patched:
        patched.setattr(Certification, "forecast", forecast)
        assert choice.takes_more_games(analysis)
        assert (asked[1], choice.precision.most_games) == (25, 50)
        assert said == ["more games should lower the bounds, so each point gets up to 50 games"]
        predicted[1] = 0.91
        assert [choice.takes_more_games(analysis) for _ in range(3)] == [False, False, True]
        assert (asked[-1], choice.precision.most_games) == (50, 100)
        assert said[1].startswith("more trials hardly lower the bounds, so each point gets up to ")
        assert not choice.takes_more_games(analysis), "the bounds are compared with later ones"
    full = Certification(RegretTarget(1.0), Precision(None, 24), said.append)
    assert not full.takes_more_games(analysis), "all games that were asked for are played"
    few, none = (choice.forecast(analysis, [], n) for n in (NO_GAMES, NO_GAMES / 1000))
    assert few == pytest.approx(none, rel=1e-3), "so few games tell nothing"


def test_a_resumed_study_goes_on_with_as_many_games_and_cheap_games_are_played_at_once(
    quick: Experiment,
) -> None:
    study, said = new_study(), list[str]()
    add_trials(study, quick)
    for n, n_games in ((10, 48), (20, 48), (30, 400)):
        add_point(study, n, spread(round(1000 * n**0.5), 400, n_games), 0.01 * n)
    choice = Certification(RegretTarget(1.0), Precision(10.0, 150), said.append)
    choice.begin(data_of(study, quick))
    assert choice.n_games == 48
    choice.note_times(1.0, seconds_a_game=0.004, n_points=3)
    assert choice.n_games == 48, "3 × 96 games take 1.2 s"
    for n_games in (96, 150, 150):
        choice.note_times(1.0, seconds_a_game=0.002, n_points=3)
        assert choice.n_games == n_games
    assert [text.rpartition(" ")[2] for text in said] == ["96", "150"]
