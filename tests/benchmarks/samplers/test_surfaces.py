"""Simulated surfaces: noise with the exact mean, a truth in range, and its front."""

import numpy as np
import pandas as pd
import pytest

from results.benchmarks.samplers.recorded import Recording
from results.benchmarks.samplers.recording import RECORDED, read_recorded, recorded_frame
from results.benchmarks.samplers.ridge import Ridge, features
from results.benchmarks.samplers.surface import two_modes
from results.benchmarks.samplers.surfaces import SURFACES, surface
from results.benchmarks.samplers.truth import search, true_front
from thetafront.study.errors import InputError
from thetafront.study.pareto import hypervolume, nondominated
from thetafront.study.samplers.candidates import sobol_points
from thetafront.study.samplers.encoding import UnitCube

N_GAMES = 40_000


def some_points(name: str, n: int = 8) -> np.ndarray:
    cube = UnitCube(surface(name).space.distributions())
    return sobol_points(cube, n, np.random.default_rng(5))


@pytest.mark.parametrize("name", SURFACES)
def test_games_scatter_about_the_truth(name: str) -> None:
    on = surface(name)
    spreads = []
    for point in some_points(name):
        scores, seconds = on.games(point, N_GAMES, np.random.default_rng(1))
        truth, time = on.score(point[None])[0], on.seconds(point[None])[0]
        # Five standard errors, of √40,000 = 200 games.
        assert scores.mean() / truth == pytest.approx(1.0, abs=5 * scores.std() / truth / 200)
        assert seconds.mean() / time == pytest.approx(1.0, abs=5 * 0.02 / 200)
        assert np.log(seconds).std() == pytest.approx(0.02, rel=0.05)
        spreads.append(scores.std() / truth)
    assert np.mean(spreads) == pytest.approx(0.4, abs=0.05)


def test_games_in_closed_form_have_two_modes() -> None:
    factors = two_modes(np.zeros(6), N_GAMES, np.random.default_rng(2))
    # Within 0.05 of the lower mode, of the valley between both, and of the upper one.
    counts = [np.mean(np.abs(factors - x) < 0.05) for x in (0.68, 1.08, 1.43)]
    assert counts[0] > 5 * counts[1]
    assert counts[2] > 3 * counts[1]
    assert factors.std() == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("name", SURFACES)
def test_the_truth_is_in_range_over_the_whole_cube(name: str) -> None:
    on = surface(name)
    d = len(on.space)
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * d)).reshape(d, -1).T
    points = np.concatenate([some_points(name, 2**14), corners])
    scores, seconds = on.score(points), on.seconds(points)
    assert scores.min() > 100.0
    assert scores.max() < 80_000.0
    assert seconds.min() > 5e-6
    assert seconds.max() < 2e-3


@pytest.mark.parametrize("name", SURFACES)
def test_more_search_hardly_adds_to_the_true_front(name: str) -> None:
    on, truth = surface(name), true_front(name)
    assert len(nondominated(truth.scores, truth.seconds)) == len(truth.scores)
    assert np.all(np.diff(truth.seconds) >= 0.0)
    np.testing.assert_allclose(on.score(truth.points), truth.scores)
    more = search(on, n_sobol=2**17, n_rounds=24, seed=1)
    both = hypervolume(
        np.append(truth.scores, more.scores), np.append(truth.seconds, more.seconds), *on.reference
    )
    assert both / truth.hypervolume - 1.0 < 0.002


def test_the_front_of_two_regimes_jumps() -> None:
    truth = true_front("two_regimes")
    setting = truth.points[:, 2]
    assert np.mean((setting > 0.4) & (setting < 0.6)) < 0.05
    assert np.mean(setting < 0.4) > 0.1
    assert np.mean(setting > 0.6) > 0.1


def test_left_out_scores_are_predicted_nearly_as_well_as_their_noise_allows() -> None:
    quality = Recording().quality()
    assert 0.88 < quality["r2_score"] < quality["r2_score_ceiling"] < 0.95
    assert quality["r2_log_seconds"] > 0.97


def test_recorded_games_are_those_of_the_nearest_theta() -> None:
    recording = Recording()
    drawn = recording.factors(recording.points[3] + 1e-6, 500, np.random.default_rng(0))
    expected = recording.scores[3] / recording.means[3]
    assert set(drawn.tolist()) <= set(expected.tolist())
    assert expected.mean() == pytest.approx(1.0)


def test_the_compact_table_holds_every_score(tmp_path) -> None:
    names = [f"theta{k}" for k in range(1, 7)]
    columns = ["trial", "state", *names, "seconds_per_move", "playout_moves_per_move", "n_games"]
    trials = [[0, "complete", 20, 9, 5, 3, 1.5, 0.5, 1e-5, 100.0, 2]]
    trials += [[1, "running", 20, 9, 5, 3, 1.5, 0.5, 1e-5, 100.0, 1]]
    (tmp_path / "manifest.json").write_text("{}")
    pd.DataFrame(trials, columns=columns).to_csv(tmp_path / "trials.csv")
    games = [[0, 1, 300], [None, 0, 7], [0, 0, 100], [1, 0, 5]]
    pd.DataFrame(games, columns=["trial", "replicate", "score_points"]).to_csv(
        tmp_path / "games.csv"
    )
    frame = recorded_frame(tmp_path)
    assert frame["scores_points"].tolist() == ["100 300"]
    assert frame["theta1"].tolist() == [20]


def test_what_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match=r"has no trials\.csv"):
        recorded_frame(tmp_path)
    with pytest.raises(InputError, match="is not there"):
        read_recorded(tmp_path / "recorded.csv")
    with pytest.raises(
        InputError,
        match=r"must be one of recorded, saturating, two_regimes, steps, cliffs \(got 'moon'\)",
    ):
        surface("moon")


def test_the_published_table_is_complete() -> None:
    frame = read_recorded(RECORDED)
    assert (frame["scores_points"].str.split().map(len) == frame["n_games"]).all()
    assert len(frame) == 256


def test_left_out_predictions_are_those_of_fits_without_them() -> None:
    rng = np.random.default_rng(0)
    points = rng.random((30, 2))
    values = points[:, 0] ** 2 - points[:, 1] + 0.1 * rng.standard_normal(30)
    fit = Ridge.fit(points, values, 2, 3)
    a = features(points, 2, 3)
    assert a.shape == (30, 8)
    keep = np.arange(30) != 4
    d = np.diag([0.0] + [1.0] * 7)
    others = np.linalg.solve(a[keep].T @ a[keep] + fit.penalty * d, a[keep].T @ values[keep])
    assert fit.left_out[4] == pytest.approx(a[4] @ others)
