"""The chart of trials over time: what each trial observed, when, and its origin."""

import math

from thetafront.study.charts.axes import axis_span, field_values, goal_axis, linear_axis
from thetafront.study.charts.chart import BLUE, GREY, ORANGE, Chart, Kind, Layer, Panel, Row
from thetafront.study.charts.front import field_titles, trial_rows
from thetafront.study.charts.hypervolume import times_of_trials
from thetafront.study.charts.theta import make_table
from thetafront.study.report.analysis import Analysis
from thetafront.study.text import counted

KEY, TITLE = "timeline", "Trials over time"
HEIGHT = 260
DESIGN = Kind("initial design", GREY, "square")
SEARCH = Kind("by the sampler", BLUE)
FRONT = Kind("may be on the front", ORANGE, "diamond")
LIKELY = 0.1  # of a trial's probability to be on the front


def timeline_chart(analysis: Analysis) -> Chart:
    """Return the goal that each complete trial observed against the time of the search."""
    data, experiment, trials = analysis.data, analysis.data.experiment, analysis.tables["trials"]
    goal, cost = experiment.goal, experiment.cost
    known = trials[(trials["state"] == "complete") & (trials[cost.name] > 0)].to_dict("records")
    times, unit = times_of_trials(data)
    if not known:
        return Chart(KEY, TITLE, "No trial is complete yet: there is nothing to draw.")
    rows: dict[Kind, list[Row]] = {DESIGN: [], SEARCH: [], FRONT: []}
    for row, trial in zip(trial_rows(analysis.tables, experiment), known, strict=True):
        likely = trial.get("p_on_front", math.nan) >= LIKELY
        kind = FRONT if likely else DESIGN if trial["origin"] == "design" else SEARCH
        rows[kind].append({**row, "x": times[trial["trial"]]})
    every = [row for each in rows.values() for row in each]
    most = max(times.values())
    x = linear_axis(unit, (-0.02 * most, 1.02 * most), lambda value: f"{value:,g}")
    y = goal_axis(goal, axis_span((), observed=field_values(every, "y")))
    said = field_titles(experiment)
    layers = [Layer("point", kind, each, size=36, tooltip=said) for kind, each in rows.items()]
    failed = sum(each.state == "fail" for each in data.trials)
    text = (
        f"Each mark is one of {counted(len(every), 'complete trial')}: the {goal.label} of its own "
        f"games; {counted(failed, 'trial')} failed. Diamonds are on the front with a probability "
        f"of {LIKELY:.0%} or more."
    )
    return Chart(
        KEY, TITLE, text, make_table(analysis), [[Panel(x, y, layers, HEIGHT)]], experiment.title
    )
