"""The whole pipeline with a goal that is minimized, and without a reference point.

The same guesses are tuned for the most gain and for the least loss: what comes out is mirrored.
"""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest

from tests.study.conftest import without_processes
from tests.study.mirrored import GAIN, Guesser, known
from tests.study.program import refused, succeeded
from thetafront.study.charts.hypervolume import hypervolume_trace
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.storage import open_for_reading
from thetafront.study.log.study_data import StudyData
from thetafront.study.model.study_model import choose_points, combine, fit_study
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.played_rows import validated_hypervolume
from thetafront.study.run import validation
from thetafront.study.run.allocation import Counts, Played, next_round
from thetafront.study.run.plan import GameTimes, Pace, expected_points, make_plan
from thetafront.study.run.stopping import Precision
from thetafront.study.samplers import installed_samplers, make_sampler
from thetafront.study.samplers.observations import Objectives, study_directions

SIDES = ("gains", "losses")
SWEEP = ("--trials", "12", "--design-size", "4", "--jobs", "1", "--budget", "none")
SWEEP += ("--replicates", "128")  # as many as a quiet machine would choose, whatever this one does
VALIDATION = ("--validation-games", "60", "--validation-points", "3")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with both studies, swept by one worker."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        without_processes(patch)
        known(patch)
        for name in SIDES:
            succeeded(folder, "sweep", name, *SWEEP, *VALIDATION)
        yield folder


def both(results: Path) -> tuple[StudyData, StudyData]:
    gains, losses = (open_for_reading(name, results)[2] for name in SIDES)
    return gains, losses


def mirrored(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of losses as one of gains: other names, signs, and ends of intervals."""
    found = table.rename(columns=lambda name: name.replace("loss_", "gain_"))
    ends = [each for each in found if each.startswith(("gain_", "posterior_", "combined_"))]
    for name in ends:
        if "seconds" in name or "_sd" in name or "_sem" in name:
            continue
        source = name
        for one, other in (("low95", "high95"), ("high95", "low95")):
            if one in name:
                source = name.replace(one, other)
        found[name] = -table[source.replace("gain_", "loss_")]
    return found


@pytest.mark.sweeps
@pytest.mark.parametrize(
    "name", ["trials", "front", "predicted_front", "combined_front", "certificate"]
)
def test_tables_are_mirrored_and_hold_real_values(results: Path, name: str) -> None:
    gains, losses = (pd.read_csv(results / side / f"{name}.csv") for side in SIDES)
    pd.testing.assert_frame_equal(mirrored(losses), gains, check_exact=False, rtol=1e-12)
    if name == "front":
        truth = np.array([Guesser(int(effort)).loss for effort in losses["effort"]])
        assert losses["loss_mean_nats"].to_numpy() == pytest.approx(truth, abs=5 * 0.5 / 60**0.5)
        assert (losses["loss_low95_nats"] < losses["loss_high95_nats"]).all()
    if name in {"predicted_front", "combined_front"}:
        stem = "posterior" if name == "predicted_front" else "combined"
        assert losses[f"{stem}_mean_nats"].is_monotonic_decreasing, "more effort loses less"
        assert (losses[f"{stem}_low95_nats"] < losses[f"{stem}_mean_nats"]).all()


def test_games_are_the_same(results: Path) -> None:
    gains, losses = (pd.read_csv(results / side / "games.csv") for side in SIDES)
    pd.testing.assert_frame_equal(gains, losses)


def test_the_reference_is_a_tenth_of_the_range_beyond_the_worst_trial(results: Path) -> None:
    gains, losses = both(results)
    values = np.array([trial.values for trial in losses.trials])
    worst, max_cost = values[:, 0].max(), np.log10(values[:, 1].max())
    score = worst + 0.1 * np.ptp(values[:, 0])
    cost = 10.0 ** (max_cost + 0.1 * np.ptp(np.log10(values[:, 1])))
    assert losses.reference == pytest.approx((score, cost), rel=1e-12)
    assert gains.reference == pytest.approx((-score, cost), rel=1e-12)
    manifests = [json.loads((results / side / "manifest.json").read_text()) for side in SIDES]
    assert [each["objectives"] for each in manifests] == [
        {"gain_mean_nats": "maximize", "seconds_per_move": "minimize"},
        {"loss_mean_nats": "minimize", "seconds_per_move": "minimize"},
    ]
    stored = manifests[1]["reference_point"]
    assert stored == pytest.approx({"loss_nats": score, "seconds_per_move": cost})


def test_hypervolumes_are_equal(results: Path) -> None:
    gains, losses = both(results)
    pd.testing.assert_frame_equal(hypervolume_trace(gains), hypervolume_trace(losses), rtol=1e-9)
    areas = [
        validated_hypervolume(Analysis(data).rows, data.experiment, data.reference)
        for data in (gains, losses)
    ]
    assert areas[0] == pytest.approx(areas[1], rel=1e-12)
    assert 0.0 < areas[0][1] < areas[0][0] < areas[0][2]
    lines = [succeeded(results, "status", side).splitlines()[-1] for side in SIDES]
    assert lines[0] == lines[1]
    assert "nats·decades, 95% interval" in lines[0]


def test_common_and_local_errors_and_proposals_are_equal(results: Path) -> None:
    models = [fit_study(data) for data in both(results)]
    gains, losses = models
    assert gains is not None
    assert losses is not None
    one, other = gains.predicted_front, losses.predicted_front
    assert one.common_deviation == pytest.approx(other.common_deviation, rel=1e-12)
    np.testing.assert_allclose(one.local_deviation, other.local_deviation, rtol=1e-12)
    np.testing.assert_array_equal(one.points, other.points)
    chosen = [
        [each.params for each in choose_points(model, data, 5)]
        for model, data in zip((gains, losses), both(results), strict=True)
    ]
    assert chosen[0] == chosen[1]


def test_points_alone_are_modelled_the_same(results: Path) -> None:
    """Without trials, and so without a reference that these tell."""
    found = []
    for data in both(results):
        bare = replace(data, trials=[])
        assert bare.reference is None
        combined = combine(None, bare)
        assert combined is not None
        found.append(combined.posterior.goal(combined.observations.points))
        area = validated_hypervolume(Analysis(bare).rows, bare.experiment, bare.reference)
        assert np.isnan(area).all()
    np.testing.assert_allclose(found[0].mean, -found[1].mean, rtol=1e-12)
    np.testing.assert_allclose(found[0].low95, -found[1].high95, rtol=1e-12)


def test_games_are_allocated_alike(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Allocation is told that the dearer points, which lose less, are the better ones."""
    told: list[Played] = []

    def remember(played: Played) -> Counts:
        told.append(played)
        return next_round(played)

    monkeypatch.setattr(validation, "next_round", remember)
    rounds = []
    for name in SIDES:
        opened, _, data = open_for_reading(name, results)
        points = [each for each in data.points if each.games]
        games = validation.Validation(opened, data, points, Precision(1e-6, 200)).plan()
        effort = {point.key: point.params["effort"] for point in points}
        rounds.append({effort[key]: n for key, n in games.items()})
    assert rounds[0] == rounds[1]
    for column in ("mean", "variance", "seconds", "decades"):
        gains, losses = (getattr(played, column) for played in told)
        np.testing.assert_allclose(gains, losses, rtol=1e-9)
    assert (np.diff(told[1].mean) > 0.0).all()
    assert (told[1].decades > 0.0).all()


def test_plans_are_equal(results: Path) -> None:
    plans, expected = [], []
    for data in both(results):
        precision, pace = Precision(0.01, 5000), Pace(1, 1.0)
        plan = make_plan(Analysis(data), None, precision, pace, 0.0, 600.0)
        assert plan is not None
        plans.append(plan)
        model = fit_study(data)
        assert model is not None
        expected.append(expected_points(data, model, GameTimes(data, model), precision))
    assert plans[0].n_validation_games == plans[1].n_validation_games
    np.testing.assert_allclose(plans[0].standard_errors, plans[1].standard_errors)
    assert (np.diff(expected[1].mean) > 0).any(), "what is dearer loses less, so is worth more"
    np.testing.assert_allclose(expected[0].mean, expected[1].mean, rtol=1e-12)
    np.testing.assert_allclose(expected[0].decades, expected[1].decades, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "asked", [("--max-seconds-per-move", "0.05"), ("goal", "0.2"), ("goal", "-1")]
)
def test_picks_are_mirrored(results: Path, asked: tuple[str, str]) -> None:
    option, value = asked
    answers = []
    for name, sign in zip(SIDES, (-1, 1), strict=True):
        given = asked
        if option == "goal":
            given = f"--{'min-gain' if sign < 0 else 'max-loss'}", f"{sign * float(value)}"
        said = succeeded(results, "pick", name, *given, "--games", "0", "--json")
        answers.append(json.loads(said))
    gain, loss = answers
    assert gain["params"] == loss["params"]
    assert loss["expected_loss"]["mean"] == pytest.approx(-gain["expected_gain"]["mean"])
    assert loss["expected_loss"]["low95"] == pytest.approx(-gain["expected_gain"]["high95"])
    assert len(gain["passed_over"]) == len(loss["passed_over"])
    if option == "goal":
        assert loss["expected_loss"]["mean"] <= float(value)
        assert loss["p_reaches_wanted"] == pytest.approx(gain["p_reaches_wanted"])
        assert loss["p_reaches_wanted"] >= 0.5
    else:
        assert loss["p_within_limit"] == pytest.approx(gain["p_within_limit"])


def test_a_loss_that_none_has_is_refused_with_the_least(results: Path) -> None:
    line = refused("pick", "losses", "--loss", "-5", "--games", "0", "--results", str(results))
    least = pd.read_csv(results / "losses" / "front.csv")["combined_mean_nats"].min()
    assert f"pick: no θ is expected to reach -5.000 (loss); the best reaches {least:.3f}" in line


@pytest.mark.sweeps
def test_commands_take_it(results: Path, tmp_path: Path) -> None:
    results = shutil.copytree(results, tmp_path / "results")  # which others find as it was
    said = succeeded(results, "pick", "losses", "--loss", "-0.5", "--games", "20", "--jobs", "1")
    assert "; reaches -0.500 with a probability of" in said
    assert "nats (95% interval" in said
    said = succeeded(results, "verify", "losses", "--games", "all", "--jobs", "1")
    assert "damage" not in said
    for name in ("pareto.png", "hypervolume.png"):
        assert name in succeeded(results, "plot", "losses")
    assert re.search(r" loss .*\n.* ± 95%", succeeded(results, "front", "losses"))
    succeeded(results, "sweep", "losses", "--trials", "14", *SWEEP[2:], *VALIDATION)
    succeeded(results, "sweep", "losses", "--name", "other", "--seed", "3", *SWEEP, *VALIDATION)
    output = tmp_path / "compared"
    said = succeeded(results, "compare", "losses", "other", "--output", str(output))
    assert "hypervolume, 95% interval" in said
    compared = pd.read_csv(output / "compare.csv").set_index("study")
    entries = {name: open_for_reading(name, results)[2] for name in ("losses", "other")}
    corners = [data.reference for data in entries.values() if data.reference is not None]
    worst = max(loss for loss, _ in corners), max(cost for _, cost in corners)
    for name, data in entries.items():
        rows = [row for row in Analysis(data).rows if row["origin"] != "ten"]
        area = validated_hypervolume(rows, data.experiment, worst)
        assert compared.loc[name, "hypervolume"] == pytest.approx(area[0])


def test_a_study_continues_in_its_own_direction_only(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "losses", replace(EXPERIMENTS["losses"], goal=GAIN))
    told = "'losses' was made to minimize the gain, but the 'losses' experiment is to maximize it"
    for words in (["status", "losses"], ["sweep", "losses", *SWEEP]):
        assert told in refused(*words, "--results", str(results))


@pytest.mark.parametrize("name", installed_samplers())
def test_samplers_propose_alike(results: Path, name: str) -> None:
    proposed = []
    for data in both(results):
        goal, space = data.experiment.goal, data.experiment.space
        sampler = make_sampler(name, 0, 12, 4, Objectives.from_experiment(data.experiment))
        study = optuna.create_study(directions=study_directions(goal), sampler=sampler)
        study.add_trials(data.frozen_trials)
        proposed.append(study.ask(space.distributions()).params)
    assert proposed[0] == proposed[1]


def test_before_the_first_trial_nothing_needs_a_reference(results: Path, tmp_path: Path) -> None:
    words = ("--trials", "4", "--design-size", "4", "--jobs", "1", "--dry-run", "--budget", "1m")
    assert "plan: 4 trials in all, with" in succeeded(tmp_path, "sweep", "losses", *words)
