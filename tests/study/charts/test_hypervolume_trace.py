"""How a front grew: against hypervolumes of all means, by hand."""

import numpy as np
import pytest

from tests.study.made_studies import data_of, new_study, store_trial
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.charts import hypervolume as hypervolume_trace_module
from thetafront.study.charts.hypervolume import hypervolume_trace
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.log import Log
from thetafront.study.model.study_model import fit_study
from thetafront.study.pareto import hypervolume
from thetafront.study.report import tables
from thetafront.study.report.tables import trials_frame
from thetafront.study.samplers import fitted_model

pytestmark = pytest.mark.usefixtures("one_thread")  # matrices this small are slower with more


def study_of(quick: Experiment, n_trials: int, n_games: int = 3) -> Log:
    """Complete trials with games, and among them some that failed or are running."""
    study = new_study()
    rng = np.random.default_rng(11)
    for number in range(n_trials):
        n = int(rng.integers(1, 41))
        games = [
            Game(r, int(rng.normal(2000.0 + 100.0 * n, 800.0)), 100, 1e-4 * n, 500 * n, 256, 0)
            for r in range(n_games)
        ]
        store_trial(study, quick, {"n_playouts": n}, games)
        if number % 5 == 4:
            store_trial(study, quick, {}, [], error="it failed")
            store_trial(study, quick, {"n_playouts": n}, [], n_games=3)
    return study


def test_each_look_sees_the_trials_before_it(quick: Experiment) -> None:
    study = study_of(quick, 40)
    data = data_of(study, quick)
    frame = hypervolume_trace(data)
    complete = [t for t in data.trials if t.state == "complete"]
    assert frame["n_trials"].is_unique
    assert frame["n_trials"].is_monotonic_increasing
    assert frame["n_trials"].iloc[0] == 1
    assert 15 <= len(frame) <= 24
    for row in frame.itertuples():
        values = np.array([t.values for t in complete[: row.n_trials]])
        expected = hypervolume(values[:, 0], values[:, 1], 0.0, 0.01)
        assert row.observed == pytest.approx(expected)
        assert row.n_games == 3 * row.n_trials


def test_what_is_observed_never_shrinks_and_what_is_predicted_is_less_lucky(
    quick: Experiment,
) -> None:
    """Posterior means know the noise of 3 games, so they stay below a maximum of luck."""
    frame = hypervolume_trace(data_of(study_of(quick, 40), quick))
    assert (np.diff(frame["observed"]) >= 0.0).all()
    assert np.isfinite(frame["predicted"]).all()
    assert (frame["predicted"] > 0.0).all()
    assert frame["predicted"].iloc[-1] < frame["observed"].iloc[-1]
    # All means are unbiased: the true front of these trials, 2000 + 100·n at n µs, to 5%.
    n = np.arange(1, 41)
    true = hypervolume(2000.0 + 100.0 * n, 1e-6 * n, 0.0, 0.01)
    assert frame["predicted"].iloc[-1] == pytest.approx(true, rel=0.05)


def test_a_study_without_complete_trials_has_no_history(quick: Experiment) -> None:
    study = new_study()
    columns = ["n_trials", "n_games", "observed", "predicted"]
    for _ in range(2):
        frame = hypervolume_trace(data_of(study, quick))
        assert list(frame.columns) == columns
        assert len(frame) == 0
        store_trial(study, quick, {"n_playouts": 3}, [], n_games=3)


def test_of_many_trials_the_model_and_the_draws_take_some(
    quick: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time grows with the cube of their number; those left out are far from the front."""
    data = data_of(study_of(quick, 60), quick)
    of_all = trials_frame(data, fit_study(data))
    monkeypatch.setattr(hypervolume_trace_module, "MAX_CONDITIONED", 30)
    monkeypatch.setattr(fitted_model, "MAX_CONDITIONED", 30)
    model = fit_study(data)
    assert model is not None
    assert len(model.observations.points) == 30
    whole = trials_frame(data, model)
    monkeypatch.setattr(tables, "MAX_DRAWN", 20)
    some = trials_frame(data, model)
    assert some["p_on_front"].count() == 20
    assert (some["p_on_front"] - whole["p_on_front"]).min() > -0.1, "fewer may dominate"
    assert (some["posterior_mean_points"] - of_all["posterior_mean_points"]).abs().max() < 400.0
    assert hypervolume_trace(data)["n_trials"].iloc[-1] == 60
