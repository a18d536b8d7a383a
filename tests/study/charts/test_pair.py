"""Lines of equal goal and cost over two parameters, against the model itself."""

from dataclasses import replace

import numpy as np

from tests.study.charts.specs import drawn, layers_of
from tests.study.made_studies import changed
from thetafront.study.charts.chart import Axis
from thetafront.study.charts.labels import Box, centred_text, point_box
from thetafront.study.charts.pair import FRONT, contour_lines, pair_chart
from thetafront.study.charts.slices import HERE, chosen_points, parameter_steps
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.importance import Importance


def mattering(analysis: Analysis, *order: int) -> Analysis:
    """The same study with indices by which these parameters matter, the first one most."""
    total = np.zeros((2, len(analysis.data.experiment.space)))
    total[:, [*order]] = np.arange(len(order), 0, -1)
    return changed(analysis, importance=Importance(total, total, total))


def test_lines_go_where_the_model_has_their_value(pacman: Analysis) -> None:
    model, space = pacman.combined, [*pacman.data.experiment.space]
    assert model is not None
    names = [each.name for each in space]
    sweeps, tolerance = names.index("max_sweeps"), names.index("tolerance")
    chart = pair_chart(mattering(pacman, sweeps, tolerance))
    _, theta = chosen_points(pacman, model)[2]
    (panel,) = chart.every_panel
    assert (panel.x.title, panel.y.title) == (space[sweeps].label, space[tolerance].label)
    steps = parameter_steps(space[sweeps], theta["max_sweeps"])
    lines, labels = layers_of(chart)[:2]
    levels = np.array([float(row["label"].rstrip("%")) / 100 for row in labels.rows])
    assert 1 <= len(levels) <= 4
    ends = [row for row in lines.rows if row["x"] in steps]
    assert len(ends) > 10
    codes = model.cube.encode(
        [{**theta, "max_sweeps": row["x"], "tolerance": row["y"]} for row in ends]
    )
    means = model.posterior.goal(codes).mean
    assert np.abs(means[:, None] - levels).min(axis=1).max() < 0.01
    (here,) = layers_of(chart, HERE.label)
    assert here.rows == [{"x": theta["max_sweeps"], "y": theta["tolerance"]}]
    assert "%" in str(chart.table.iloc[0, 1])
    assert labels.rows[0]["label"] in drawn(chart)


def test_the_legend_has_the_unit_of_the_lines(pacman: Analysis) -> None:
    experiment = pacman.data.experiment
    won = replace(experiment.goal, format=replace(experiment.goal.format, unit="games"))
    data = replace(pacman.data, experiment=replace(experiment, goal=won))
    labels = [each.label for each in pair_chart(changed(pacman, data=data)).kinds]
    assert labels[:2] == ["equal win rate, games", f"equal {experiment.cost.label}"]


def test_no_label_covers_another() -> None:
    """A line at x = 35 and one at y = 35, whose labels would be at the same place."""
    steps = np.linspace(0.0, 100.0, 101)
    across, up = np.meshgrid(steps, steps)
    axes, taken = (Axis("x", 0.0, 100.0, {}), Axis("y", 0.0, 100.0, {})), list[Box]()
    places = []
    for which, values in enumerate((across, up)):
        grid = (steps, steps, values)
        _, labels = contour_lines("z", grid, lambda low, high: [35.0], str, which, axes, taken)
        (row,) = labels.rows
        assert 35.0 in {row["x"], row["y"]}
        places.append((row["x"], row["y"]))
    assert places[0] != places[1]
    assert taken[0].overlap(taken[1]) == 0.0


def test_no_label_covers_a_point(pacman: Analysis) -> None:
    """A label avoids a point on the front that is where it would be."""
    before = pair_chart(pacman)
    _, labels = layers_of(before)[:2]
    (panel,) = before.every_panel
    first, second = (
        next(each.name for each in pacman.data.experiment.space if each.label == axis.title)
        for axis in (panel.x, panel.y)
    )
    row = labels.rows[0]
    rows = pacman.tables["front"].astype({first: float, second: float})
    rows.loc[rows.index[0], [first, second, "on_front"]] = [row["x"], row["y"], True]
    chart = pair_chart(changed(pacman, tables={**pacman.tables, "front": rows}))
    points = [point_box(each, panel.x, panel.y) for each in layers_of(chart, FRONT.label)[0].rows]
    for each in layers_of(chart)[1].rows:
        at = each["x"], each["y"]
        box = centred_text(each["label"], at, (panel.x, panel.y), each["dy"])
        assert sum(map(box.overlap, points)) == 0.0


def test_labels_of_two_short_lines_in_a_corner_are_on_both_sides() -> None:
    """Both lines cut off the same corner, so that one is hardly longer than its label."""
    side = np.linspace(0.0, 100.0, 101)
    grid = (side, side, np.add.outer(side, side))
    axes, taken = (Axis("", 0.0, 100.0, {}), Axis("", 0.0, 100.0, {})), list[Box]()
    sides = [
        contour_lines("z", grid, lambda low, high: [195.0], lambda _: "200,000", k, axes, taken)
        for k in (0, 1)
    ]
    assert [labels.rows[0]["dy"] > 0.0 for _, labels in sides] == [True, False]
    assert taken[0].overlap(taken[1]) == 0.0


def test_categories_are_no_part_of_a_pair(pacman: Analysis) -> None:
    space = [*pacman.data.experiment.space]
    categorical = [
        k for k, each in enumerate(space) if each in pacman.data.experiment.space.categorical
    ]
    others = [k for k in range(len(space)) if k not in categorical]
    chart = pair_chart(mattering(pacman, *categorical, others[1], others[0]))
    (panel,) = chart.every_panel
    assert [panel.x.title, panel.y.title] == [space[others[1]].label, space[others[0]].label]


def test_one_parameter_makes_no_pair(small: Analysis) -> None:
    chart = pair_chart(mattering(small, 0))
    assert not chart.panels
    assert "fewer than two" in chart.caption
