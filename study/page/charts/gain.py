"""The chart of what the search gained: the hypervolume against games and minutes."""

import math
from collections import Counter
from typing import Any

import altair as alt
import pandas as pd

from thetafront.study.experiments.failures import counted_as, rate_text
from thetafront.study.log.study_data import StudyData
from thetafront.study.page.charts.axes import goal_axis, goal_ticks, rounded, rows_of
from thetafront.study.page.charts.palette import BLUE, DASHED, GREY, LINE, ORANGE, Kind, encodings
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.validated_rows import validated_hypervolume, without_baselines
from thetafront.study.text import counted

KEY, TITLE = "gain", "What the search gained"
HEIGHT = 260
AGAINST = "gain_against"
SECONDS_A_MINUTE = 60.0

OBSERVED = Kind("observed, too high", GREY, LINE, dash=DASHED)
OBSERVED_EXACT = Kind("of the trials", GREY, LINE, dash=DASHED)
MODEL = Kind("by the model", BLUE, "circle")
VALIDATED = Kind("validated, 95%", ORANGE, LINE)


def minutes_of_trials(data: StudyData) -> tuple[dict[int, float], str]:
    """Return the minutes until each complete trial, by its number, and what they are.

    Of wall time while a trial was open, so pauses between runs do not count; where the study has no
    such times, as a published one, of CPU time in the games of the trials until then.
    """
    complete = [trial for trial in data.trials if trial.state == "complete"]
    cpu, total = {}, 0.0
    for trial in complete:
        total += sum(game.seconds for game in trial.games.values())
        cpu[trial.number] = total / SECONDS_A_MINUTE
    open_times = sorted(
        (trial.datetime_start.timestamp(), trial.datetime_complete.timestamp(), trial.number)
        for trial in data.frozen_trials
        if trial.number in cpu and trial.datetime_start and trial.datetime_complete
    )
    wall, passed, until = {}, 0.0, -math.inf
    for start, end, number in open_times:
        passed += max(0.0, end - max(start, until))
        until = max(until, end)
        wall[number] = passed / SECONDS_A_MINUTE
    jobs = max([int(run.get("jobs") or 1) for run in data.runs], default=1)
    # Trials that were written later, all at once, cannot have played their games in their times.
    if len(wall) == len(cpu) and passed * jobs >= 0.5 * total:
        return wall, "minutes of the search"
    return cpu, "minutes of CPU time in games"


def gain_figure(data: Analysis) -> Figure:
    """Return how the hypervolume grew, observed and by the model; failures; utilization."""
    study, experiment, front = data.data, data.data.experiment, data.tables["front"]
    goal = experiment.goal
    effort = effort_text(study)
    if data.model is None:
        text = f"No trial is complete yet. {effort}"
        return Figure(KEY, TITLE, text, None, pd.DataFrame())
    trace = data.trace
    minutes, unit = minutes_of_trials(study)
    order = sorted(minutes)
    spent = [max(minutes[k] for k in order[: int(m)]) for m in trace["n_trials"]]
    trace = trace.assign(minutes=spent)
    searched = without_baselines(front.to_dict("records"), experiment)
    validated = validated_hypervolume(searched, experiment, study.reference)
    area = f"{goal.format.area_unit} · decades"
    text = (
        f"The area between front and reference point, of the first m of "
        f"{counted(int(trace['n_trials'].iloc[-1]), 'complete trial')}: of points of the front "
        "that the model predicts from them"
    )
    text += (
        ", and of the trials' own values."
        if goal.is_exact
        else ", and of observed means, which is too high: the best of noisy means is mostly luck."
    )
    if math.isfinite(validated[0]):
        text += f" Validated points: {area_text(validated, data)} {area}."
    if study.reference is not None:
        worst, dearest = study.reference
        text += (
            f" Reference point: {goal.format.with_unit(worst)} at "
            f"{experiment.cost.in_words(dearest)}."
        )
    chart = chart_of(trace, validated, data, unit, area)
    return Figure(KEY, TITLE, f"{text} {effort}", chart, table_of(trace, unit, area, data))


def area_text(area: tuple[float, float, float], data: Analysis) -> str:
    """Write a hypervolume with its interval, if that has a width."""
    write = data.data.experiment.goal.format.area
    volume, low, high = area
    return write(volume) if low == high else f"{write(volume)} ({write(low)} to {write(high)})"


def effort_text(data: StudyData) -> str:
    """Say how many games were played, what failed, and how busy the workers were."""
    states = Counter(trial.state for trial in data.trials)
    n_games = sum(len(trial.games) for trial in data.trials)
    failures = counted(states["fail"], "trial") + " failed" if states["fail"] else "No trial failed"
    text = f"{counted(n_games, 'game')} of trials. {failures}."
    lost = sum(bool(point.error) for point in data.points)
    if lost:
        text += f" {counted(lost, 'validated point')} left out, since games failed."
    if data.has_failures:
        rate = rate_text(*data.failed_of_played)
        text += f" {rate} (95% interval); {counted_as(data.experiment.goal)}."
    shares = [
        (phase, min(float(share), 1.0))
        for phase in ("search", "validation")
        if (share := last_of(data, phase, "share_of_worker_time_in_games")) is not None
    ]
    if shares:
        said = " and ".join(f"{share:.1%} in the last {phase}" for phase, share in shares)
        text += f" Workers' time in games: {said}."
    return text


def last_of(data: StudyData, phase: str, key: str) -> Any:
    """Return what the last run of a phase that ended says; None if none does."""
    found = [
        run[key] for run in data.runs if run.get("phase") == phase and run.get(key) is not None
    ]
    return found[-1] if found else None


def chart_of(
    trace: pd.DataFrame,
    validated: tuple[float, float, float],
    data: Analysis,
    unit: str,
    area: str,
) -> alt.LayerChart:
    """Return the chart, against games or minutes as its reader chooses."""
    goal = data.data.experiment.goal
    observed = OBSERVED_EXACT if goal.is_exact else OBSERVED
    rows = [
        {
            "kind": kind.label,
            "m": row["n_trials"],
            "g": row["n_games"],
            "t": row["minutes"],
            "v": row[column],
        }
        for kind, column in ((observed, "observed"), (MODEL, "predicted"))
        for row in trace.to_dict("records")
    ]
    kinds = [observed, MODEL]
    against: Any = alt.param(
        name=AGAINST,
        value="g",
        bind=alt.binding_radio(
            options=["g", "t"], labels=["games of the search", unit], name="against "
        ),
    )
    chart = alt.Chart(rows_of(rows)).transform_calculate(x=f"datum[{AGAINST}]")
    # An axis's title is fixed in Vega-Lite, a chart's is not.
    title = alt.Title(
        text=alt.ExprRef(f"{AGAINST} == 'g' ? 'games of the search' : '{unit}'"),
        orient="bottom",
        anchor="middle",
        fontSize=11,
    )
    x = alt.X(
        "x:Q",
        axis=alt.Axis(title=None, tickCount=10, labelOverlap="greedy"),
        scale=alt.Scale(nice=False),
    )
    title_of_y = f"hypervolume, {area}"
    axis = goal_axis(goal, title_of_y) if goal.format.suits_areas else alt.Axis(title=title_of_y)
    y = alt.Y("v:Q", axis=axis, scale=alt.Scale(zero=True))
    tooltip = [
        alt.Tooltip("kind:N", title="of"),
        alt.Tooltip(
            "v:Q",
            title="hypervolume",
            format=goal_ticks(goal) if goal.format.suits_areas and goal_ticks(goal) else ",.4~g",
        ),
        alt.Tooltip("m:Q", title="trials"),
        alt.Tooltip("g:Q", title="games", format=","),
        alt.Tooltip("t:Q", title=unit, format=",.3~g"),
    ]
    layers: list[alt.Chart] = []
    if math.isfinite(validated[0]):
        kinds.append(VALIDATED)
        volume, low, high = (rounded(each) for each in validated)
        band = alt.Chart(
            alt.InlineData(values=[{"kind": VALIDATED.label, "v": volume, "l": low, "h": high}])
        )
        layers += [
            band.mark_rect(opacity=0.18, strokeWidth=0).encode(
                y=alt.Y("l:Q"), y2="h:Q", **encodings(kinds, "fill", legend_at="top")
            ),
            band.mark_rule(strokeWidth=1.6).encode(
                y=y, **encodings(kinds, "stroke", legend_at="top")
            ),
        ]
    steps = chart.transform_filter(alt.datum.kind == observed.label)
    line = chart.transform_filter(alt.datum.kind == MODEL.label)
    styled = encodings(kinds, "stroke", "strokeDash", legend_at="top")
    layers += [
        steps.mark_line(interpolate="step-after", strokeWidth=1.6).encode(x=x, y=y, **styled),
        line.mark_line(strokeWidth=2).encode(x=x, y=y, **styled),
        chart.mark_point(size=26).encode(
            x=x,
            y=y,
            tooltip=tooltip,
            **encodings(kinds, "stroke", "fill", "shape", legend_at="top"),
        ),
    ]
    return alt.LayerChart(
        layer=layers,
        params=[against.param],
        width="container",
        height=HEIGHT,
        title=title,
        background="transparent",
        description=title_of_y,
    )


def table_of(trace: pd.DataFrame, unit: str, area: str, data: Analysis) -> pd.DataFrame:
    """Return the curves' numbers with readable headings."""
    write = data.data.experiment.goal.format.area
    return pd.DataFrame(
        {
            "trials": trace["n_trials"].astype(int),
            "games": trace["n_games"].astype(int),
            unit: [f"{each:.3g}" for each in trace["minutes"]],
            f"by the model, {area}": [write(each) for each in trace["predicted"]],
            f"of observed values, {area}": [write(each) for each in trace["observed"]],
        }
    )
