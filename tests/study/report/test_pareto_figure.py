"""Pictures: words of a categorical parameter are told apart, and the legend says which is which."""

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from tests.study.made_studies import add_point, add_trials, data_of, new_study
from tests.study.mirrored import GAIN, LOSS
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.registry import experiment
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.hypervolume_figure import hypervolume_figure
from thetafront.study.report.hypervolume_trace import hypervolume_trace
from thetafront.study.report.pareto_figure import by_choice, cut_above, pareto_figure
from thetafront.study.report.scores_figure import scores_figure
from thetafront.study.report.style import CHOICE_MARKS, goal_axis, new_figure
from thetafront.study.report.tables import games_note


def frames(names: dict[str, list[object]]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Trials, validated points and a curve of three rows each."""
    cost = [1e-6, 1e-5, 1e-3]
    trials = pd.DataFrame(
        {
            **names,
            "state": "complete",
            "score_mean_points": [1.0, 2.0, 3.0],
            "seconds_per_move": cost,
            "n_games": 2,
        }
    )
    validated = trials.assign(
        number=[1, 2, 3],
        origin=["proposal", "trial 1", "six"],
        on_front=[True, False, True],
        score_low95_points=[0.5, 1.5, 2.5],
        score_high95_points=[1.5, 2.5, 3.5],
    )
    curve = pd.DataFrame(
        {
            **names,
            "seconds_per_move": cost,
            "posterior_mean_points": [1.0, 2.0, 3.0],
            "posterior_low95_points": [0.0, 1.0, 2.0],
            "posterior_high95_points": [2.0, 3.0, 4.0],
        }
    )
    return trials, validated, curve


def legend_of(figure: Figure) -> list[str]:
    legend = figure.axes[0].get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def test_each_word_has_its_sign_and_the_legend_names_it(words: Experiment) -> None:
    theta = {
        "n_simulations": [3, 4, 6],
        "leaf_value": ["score", "random", "weights_a"],
        "exploration": [10.0, 1e3, 100.0],
    }
    trials, validated, curve = frames(theta)
    figure = pareto_figure(trials, validated, curve, words)
    texts = legend_of(figure)
    assert texts[:3] == ["U = score", "U = weights_a", "U = random"]
    assert "validated, six (3):\n(6, weights_a, 100)" in texts
    assert {"trials, observed means", "validated, on the front"} <= set(texts)
    # A trial and a validated point of the same word have the same colour and marker.
    signs = dict(zip(("score", "weights_a", "random"), CHOICE_MARKS, strict=False))
    drawn = {
        (str(line.get_color()), str(line.get_marker()), float(line.get_xdata()[0]))
        for line in figure.axes[0].lines
        if len(line.get_xdata()) == 1
    }
    for word, cost in (("score", 1e-6), ("random", 1e-5), ("weights_a", 1e-3)):
        assert (*signs[word], cost) in drawn
    unvalidated = pareto_figure(trials, validated.iloc[:0], curve, words)
    assert not any("validated" in text for text in legend_of(unvalidated))


def test_without_words_the_picture_is_as_it_was(quick: Experiment) -> None:
    trials, validated, curve = frames({"n_playouts": [1, 2, 4]})
    validated["origin"] = ["proposal", "trial 1", "four playouts"]
    texts = legend_of(pareto_figure(trials, validated, curve, quick))
    assert texts == [
        "trials, observed means",
        "front that the trials predict",
        "its 95% band",
        "validated, on the front",
        "validated, dominated",
        "validated, four playouts (3):\n(4)",
    ]


def test_parts_by_word_are_the_whole(words: Experiment) -> None:
    table = pd.DataFrame({"leaf_value": ["random", "score", "random"], "n": [1, 2, 3]})
    (choice,) = words.space.categorical
    parts = {
        part["leaf_value"].iloc[0]: part["n"].tolist() for part, *_ in by_choice(table, choice)
    }
    assert parts == {"score": [2], "random": [1, 3]}
    ((part, _, marker),) = by_choice(table, None)
    assert (part is table, marker) == (True, "o")


def test_each_validated_point_has_its_number(quick: Experiment) -> None:
    trials, validated, curve = frames({"n_playouts": [1, 2, 4]})
    figure = pareto_figure(trials, validated.assign(number=[4, 5, 6]), curve, quick)
    assert [text.get_text() for text in figure.axes[0].texts] == ["4", "5", "6"]


def test_counts_of_one_are_singular() -> None:
    for counts, said in (
        ([1], "1 point of 1 game"),
        ([40], "1 point of 40 games"),
        ([1, 1], "2 points of 1 game each"),
        ([40, 1000], "2 points of 40 to 1,000 games each, 1,040 in all"),
    ):
        assert games_note(pd.DataFrame({"n_games": counts}), "point") == said


def test_an_interval_of_few_games_does_not_press_all_else_flat() -> None:
    goal = experiment("mcmdp").goal
    mean, high = goal.column("mean"), goal.posterior_column("high95")
    _, axes = new_figure(4.0, 3.0)
    axes.errorbar([1.0], [50_000.0], yerr=[700_000.0])
    low = axes.get_ylim()[0]
    tables = [pd.DataFrame({mean: [50_000.0]}), pd.DataFrame({high: [80_000.0]}), None]
    assert cut_above(axes, tables, goal)
    assert axes.get_ylim() == (low, 1.25 * 80_000.0)
    assert not cut_above(axes, tables, goal)


def test_of_a_goal_of_any_sign_both_ends_are_cut() -> None:
    """A quarter of the range of points and bands beyond each end, all of them below 0."""
    mean, low, high = GAIN.column("mean"), *map(GAIN.posterior_column, ("low95", "high95"))
    tables = [pd.DataFrame({mean: [-9.0]}), pd.DataFrame({low: [-10.0], high: [-6.0]}), None]
    _, axes = new_figure(4.0, 3.0)
    axes.errorbar([1.0], [-9.0], yerr=[500.0])
    assert cut_above(axes, tables, GAIN)
    assert axes.get_ylim() == (-11.0, -5.0)
    assert not cut_above(axes, tables, GAIN)


def test_an_axis_says_where_less_is_better() -> None:
    _, axes = new_figure(4.0, 3.0)
    for goal, label in ((GAIN, "gain"), (LOSS, "loss (less is better)")):
        goal_axis(axes, goal, goal.label)
        assert axes.get_ylabel() == label
        assert not axes.yaxis_inverted(), "upwards is more, as usual"


def test_a_point_without_blocks_has_the_combined_models_interval_of_its_time(
    quick: Experiment,
) -> None:
    """Its bar is as wide in proportion: from 1 µs · 0.9 to 1 µs · 1.2."""
    trials, validated, curve = frames({"n_playouts": [1, 2, 4]})
    one = validated.iloc[:1].assign(
        seconds_per_move_low95=float("nan"),
        seconds_per_move_high95=float("nan"),
        combined_seconds_per_move=2e-6,
        combined_seconds_per_move_low95=1.8e-6,
        combined_seconds_per_move_high95=2.4e-6,
    )
    combined = one.assign(
        combined_mean_points=1.0, combined_low95_points=0.5, combined_high95_points=1.5
    )
    figure = pareto_figure(trials, one, curve, quick, combined)
    assert "front, given all games" in legend_of(figure)
    ends = [
        segment[:, 0].tolist()
        for bars in figure.axes[0].collections
        if isinstance(bars, LineCollection)
        for segment in bars.get_segments()
        if segment[0, 1] == segment[1, 1]
    ]
    np.testing.assert_allclose(ends, [[0.9e-6, 1.2e-6]])


def test_points_of_single_games_have_no_hypervolume_yet(quick: Experiment) -> None:
    """Halves of one game tell no interval: the legend shows no number."""
    study = new_study()
    add_trials(study, quick)
    add_point(study, 10, [3000], 0.1)
    data = data_of(study, quick)
    tables = Analysis(data).tables
    trace = hypervolume_trace(data)
    figure = hypervolume_figure(trace, tables["trials"], tables["front"], quick)
    assert not any("validated" in text for text in legend_of(figure))
    scores = scores_figure(tables["front"], tables["games"], quick)
    assert [text.get_text()[:3] for text in scores.axes[0].get_yticklabels()] == ["1: "]
