"""What a person reads of a front: the model's curve, and tables with their numbers and words."""

import io
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from tests.study.made_studies import (
    N_MOVES,
    add_point,
    add_trials,
    data_of,
    data_of_values,
    new_study,
    present,
    spread,
    store_point,
    store_trial,
)
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.costs import reported
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.space import Space
from thetafront.study.log.log import Log
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.model import study_model
from thetafront.study.model.study_model import combine, fit_study
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.front_tables import (
    equal_games_line,
    front_table,
    predicted_front_table,
    print_front,
)
from thetafront.study.report.prediction_check import distrust_line
from thetafront.study.report.tables import (
    combined_front_frame,
    model_note,
    predicted_front_frame,
    trials_frame,
    validated_frame,
    write_csv,
)
from thetafront.study.samplers.fitted_model import FittedModel

Z = 1.959964
T99 = 1.984217  # Student's, of 100 games


@pytest.fixture
def data(quick: Experiment) -> StudyData:
    study = add_trials(new_study(), quick)
    return data_of(study, quick, seed=0)


@pytest.fixture
def model(data: StudyData) -> FittedModel:
    return present(fit_study(data))


@pytest.mark.parametrize(("share", "is_doubted"), [(1.0, False), (0.5, True)])
def test_a_model_that_validation_refutes_is_told(
    quick: Experiment, model: FittedModel, share: float, is_doubted: bool
) -> None:
    """Three θ are played that reach what the trials predict of them, or half of it."""
    study = add_trials(new_study(), quick)
    settings = (5, 16, 33)
    codes = model.cube.encode([{"n_playouts": n} for n in settings])
    scores = share * model.posterior.goal(codes).mean
    for n, score in zip(settings, scores.tolist(), strict=True):
        add_point(study, n, spread(round(score), 500), float(n))
    line = distrust_line(Analysis(data_of(study, quick, seed=0)))
    if not is_doubted:
        assert line == ""
        return
    too_high = (1.0 - share) * np.mean(scores / share)
    found = re.fullmatch(
        r"The model of the trials is too optimistic, by ([\d,]+) points on average \(up to "
        r"[\d,]+ points could be due to chance\); 0 of 3 measured means are inside its 95% "
        r"intervals\. Predictions for untested θ allow for this, but trust measured points first\.",
        line,
    )
    assert found is not None
    assert float(found[1].replace(",", "")) == pytest.approx(too_high, rel=0.01)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([[5, 5], [7, 7, 7], [9, 9], [9, 9], [3]], "in each of 4 trials, all games have the same"),
        ([[5, 5], [7, 7, 7], [9, 9], [9, 8], [3]], ""),
        ([[5, 5], [7, 7, 7], [9, 9], [3]], ""),  # too few
    ],
)
def test_a_program_that_ignores_its_seed_is_noticed(
    quick: Experiment, scores: list[list[int]], said: str
) -> None:
    study = new_study()
    for n, each in enumerate(scores, 1):
        games = [Game(seed, score, N_MOVES, 0.1, 10, 512, 0) for seed, score in enumerate(each)]
        store_trial(study, quick, {"n_playouts": n}, games)
    line = equal_games_line(data_of(study, quick))
    assert line.startswith(said)
    assert bool(line) == bool(said)


def test_distances_to_trials_are_to_all_of_them(
    data: StudyData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also to those that the model leaves out because they are too many."""
    monkeypatch.setattr(study_model, "MAX_CONDITIONED", 3)
    few = present(fit_study(data))
    assert len(few.observations.points) == 3 < len(data.complete_trials)
    (name,) = data.experiment.space.names
    codes = few.cube.encode([each.params for each in data.complete_trials])[:, 0]
    for row in predicted_front_frame(data, few).to_dict("records"):
        nearest = np.abs(codes - few.cube.encode([{name: row[name]}])[0, 0]).min()
        assert row["distance_to_trial"] == pytest.approx(nearest, abs=1e-6)


def test_the_curve_is_sorted_and_of_the_space(
    quick: Experiment, data: StudyData, model: FittedModel
) -> None:
    curve = predicted_front_frame(data, model)
    assert 10 <= len(curve) <= 40, "at most one row a whole number"
    costs = curve["seconds_per_move"].to_numpy()
    assert (np.diff(costs) > 0.0).all()
    assert (np.diff(curve["posterior_mean_points"]) > 0.0).all()
    for row in curve.itertuples():
        assert quick.space.parameters[0].check(row.n_playouts) == row.n_playouts
        assert row.seconds_per_move == pytest.approx(1e-5 * row.n_playouts, rel=0.4)
    codes = model.cube.encode([{"n_playouts": n} for n in curve["n_playouts"]])
    mean, deviation = (each[:, 0] for each in model.posterior.predict(codes))  # of √score
    np.testing.assert_allclose(curve["posterior_mean_points"], mean**2 + deviation**2, rtol=1e-6)
    ends = (mean - Z * deviation) ** 2, (mean + Z * deviation) ** 2
    np.testing.assert_allclose(curve["posterior_low95_points"], ends[0], rtol=1e-3)
    np.testing.assert_allclose(curve["posterior_high95_points"], ends[1], rtol=1e-3)
    tried = [1, 3, 7, 12, 20, 28, 36, 40]
    gaps = [min(abs(n - m) for m in tried) / 40 for n in curve["n_playouts"]]
    np.testing.assert_allclose(curve["distance_to_trial"], gaps, atol=1e-9)


def test_a_model_is_fitted_to_trials_and_points(model: FittedModel, data: StudyData) -> None:
    assert model_note(model) == "8 trials and 0 validated points"
    points = [Point({"n_playouts": 5}, games=data.trials[0].games)]
    combined = present(combine(model, replace(data, points=points)))
    assert model_note(combined) == "8 trials and 1 validated point"


def test_a_parameter_that_is_nowhere_active_has_its_column() -> None:
    """All θ with a depth score less, and cost more."""
    kind = CategoricalParameter("kind", ("flat", "deep"))
    depth = NumericParameter("depth", 1, 9, integer=True, when={"kind": "deep"})
    space = Space((kind, depth, NumericParameter("x", 0.0, 1.0)))
    layered = Experiment("layered", lambda **_: {}, space, mean(), cost=reported("work"))
    trials: list[tuple[dict[str, Any], tuple[float, float]]] = []
    for x in (0.1, 0.4, 0.7, 1.0):
        trials.append(({"kind": "flat", "x": x}, (1000.0 * x, 10.0 * x)))
        trials.append(({"kind": "deep", "depth": 3, "x": x}, (1.0, 1000.0 * x)))
    data = data_of_values(layered, trials)
    model = present(fit_study(data))
    for frame in (predicted_front_frame(data, model), combined_front_frame(layered, model)):
        assert frame.columns[:3].tolist() == ["kind", "depth", "x"]
        assert set(frame["kind"]) == {"flat"}
        assert frame["depth"].isna().all()


def printed(table: Any) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(table)
    return out.getvalue()


def test_the_table_of_validated_points_has_their_numbers(quick: Experiment) -> None:
    study = new_study()
    add_point(study, 5, spread(10_000, 1000), 1.25, "four playouts")
    add_point(study, 9, spread(12_345, 600), 2.0, "trial 12")
    add_point(study, 11, [777], 3.0)
    rows = Analysis(data_of(study, quick)).rows
    text = printed(front_table(rows, quick))
    note = "validated alone: from a point's own n games"
    others = "(below 30, the interval also uses the variance at other points)"
    assert f"{note} {others}" in " ".join(text.split())
    many = " ".join(printed(front_table(rows[:2], quick)).split())
    assert note in many
    assert "variance" not in many
    half = T99 * 1000 / math.sqrt(99)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    first = next(line for line in lines if line[:3] == ["1", "four", "playouts"])
    given, low, high = (rows[0][f"combined_{each}_points"] for each in ("mean", "low95", "high95"))
    times = [rows[0][f"combined_seconds_per_move{each}"] for each in ("", "_low95", "_high95")]
    assert first[3:] == [
        *("5", f"{given:,.0f}", "±", f"{(high - low) / 2:,.0f}"),
        *("10,000", "±", f"{half:.0f}", "100"),
        *quick.cost.interval(*times).split(),
        *("1.00", "0%", "0%"),
    ]
    assert "12,345" in text
    assert "trial 12" in text
    assert "777 ± ?" in text
    assert quick.title in text


def test_a_narrow_terminal_gets_all_columns(quick: Experiment) -> None:
    """What it cannot show it wraps; nothing is left out."""
    study = new_study()
    add_point(study, 5, spread(10_000, 1000), 1.25, "four playouts")
    out = io.StringIO()
    print_front(Console(file=out, width=40), Analysis(data_of(study, quick)))
    assert "≥ 8192" in out.getvalue()
    assert "…" not in out.getvalue()


def test_the_table_of_the_curve_has_its_numbers(
    quick: Experiment, data: StudyData, model: FittedModel
) -> None:
    curve = predicted_front_frame(data, model)
    text = printed(predicted_front_table(curve, quick, n_rows=4))
    for index in (0, len(curve) - 1):
        row = curve.iloc[index]
        assert f"{row['posterior_mean_points']:,.0f} ± " in text
        assert quick.cost.text(row["seconds_per_move"]) in text
    assert text.count("±") == 4
    assert "not validated" in text


def study_with_words(words: Experiment) -> Log:
    """Trials of three games each in which one word is best, and three validated points."""
    study = new_study()
    rng = np.random.default_rng(4)
    for number in range(15):
        values = words.space.from_unit(rng.random(3).tolist())
        best = values["leaf_value"] == "weights_a"
        games = [
            Game(
                r,
                int(rng.normal(3000 + 4000 * best, 300)),
                100,
                0.1 * 2.0 ** (values["n_simulations"] - 4),
                500 * number + 9,
                256,
                0,
            )
            for r in range(3)
        ]
        store_trial(study, words, values, games, "design")
    for word, score, cost in (("weights_a", 7000, 2), ("score", 3000, 1), ("random", 2000, 3)):
        params = {"n_simulations": 3 + cost, "leaf_value": word, "exploration": 1234.5}
        games = {
            r: Game(500_000 + r, score + r, N_MOVES, 1e-3 * cost, 5000 * cost, 512, 0)
            for r in range(4)
        }
        store_point(study, params, games)
    return study


def test_tables_have_words(words: Experiment, tmp_path: Path) -> None:
    study = study_with_words(words)
    model = present(fit_study(data_of(study, words, seed=0)))
    front = validated_frame(Analysis(data_of(study, words)))
    assert front["leaf_value"].tolist() == ["score", "weights_a", "random"]
    assert front["on_front"].tolist() == [True, True, False]
    by_choice = front.set_index("leaf_value")["posterior_mean_points"]
    assert by_choice["weights_a"] == pytest.approx(7000, abs=500)
    assert by_choice["score"] == pytest.approx(3000, abs=500)
    # What the model believes in is the word that is best, at nearly every budget.
    curve = predicted_front_frame(data_of(study, words), model)
    costs = curve[words.cost.name]
    budgets = np.geomspace(costs.iloc[0], costs.iloc[-1], 100)
    best = curve["leaf_value"].iloc[np.searchsorted(costs, budgets, side="right") - 1]
    assert (best == "weights_a").mean() > 0.7
    trials = trials_frame(data_of(study, words), model)
    for frame in (front, curve, trials):
        (tmp_path / "table.csv").unlink(missing_ok=True)
        write_csv(frame, tmp_path / "table.csv")
        back = pd.read_csv(tmp_path / "table.csv")
        for row, given in zip(back.to_dict("records"), frame.to_dict("records"), strict=True):
            assert words.space.present(row) == words.space.present(given)
    out = io.StringIO()
    console = Console(file=out, width=200)
    console.print(front_table(front.to_dict("records"), words))
    console.print(predicted_front_table(curve, words))
    lines = out.getvalue().splitlines()
    header = next(line.split() for line in lines if "P(front)" in line)
    assert header[:4] == ["from", "m", "U", "c"]
    assert next(line.split() for line in lines if "weights_a" in line)[1:5] == [
        "proposal",
        "5",
        "weights_a",
        "1234",
    ]
