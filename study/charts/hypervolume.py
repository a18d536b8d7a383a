"""Charts of the search: each trial over time, and how the hypervolume grew."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from optuna.trial import TrialState

from thetafront.study.charts.axes import area_axis, axis_span, field_values, goal_axis, linear_axis
from thetafront.study.charts.chart import (
    BLUE,
    DASHED,
    GREY,
    LINE,
    ORANGE,
    Chart,
    Kind,
    Layer,
    Panel,
    Row,
)
from thetafront.study.charts.front import trial_rows, trial_titles
from thetafront.study.charts.theta import make_table as theta_table
from thetafront.study.experiments.failures import counted_as, rate_text
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import hypervolume, most_hypervolume
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.played_rows import validated_hypervolume
from thetafront.study.samplers.candidates import feasible, sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.observations import Objectives, observe, study_directions
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import climb
from thetafront.study.text import counted

KEY, TITLE, TRIALS = "gain", "What the search gained", "Trials over time"
HEIGHT, HEIGHT_OF_TRIALS = 300, 260
N_STEPS = 24  # points along each curve
N_POINTS = 12
N_TICKS = 5  # of an axis half as wide as the chart
MAX_CONDITIONED = 384  # trials
N_SOBOL, N_ROUNDS, N_NEAR = 1024, 8, 256  # for the search for a predicted front
LIKELY = 0.1  # a trial is marked if its probability of being on the front is at least this
SECONDS_PER_MINUTE = 60.0
GAMES = "games in the search"

OBSERVED = Kind("observed, too high", GREY, LINE, dash=DASHED)
OBSERVED_EXACT = Kind("of the trials", GREY, LINE, dash=DASHED)
MODEL = Kind("by the model", BLUE, "circle")
VALIDATED = Kind("validated, 95%", ORANGE, LINE)
DESIGN = Kind("end of the initial design", GREY, LINE, dash=(2, 3))
OF_DESIGN = Kind("initial design", GREY, "square")
OF_SAMPLER = Kind("by the sampler", BLUE)
FRONT = Kind("may be on the front", ORANGE, "diamond")


def timeline_chart(analysis: Analysis) -> Chart:
    """Return the chart of each complete trial's observed goal against the time of the search."""
    data, experiment, trials = analysis.data, analysis.data.experiment, analysis.tables["trials"]
    goal, cost = experiment.goal, experiment.cost
    known = trials[(trials["state"] == "complete") & (trials[cost.name] > 0)].to_dict("records")
    times, unit = times_of_trials(data)
    if not known:
        return Chart("timeline", TRIALS, "No trial is complete yet, so there is nothing to draw.")
    rows: dict[Kind, list[Row]] = {OF_DESIGN: [], OF_SAMPLER: [], FRONT: []}
    for row, trial in zip(trial_rows(analysis.tables, experiment), known, strict=True):
        likely = trial.get("p_on_front", math.nan) >= LIKELY
        kind = FRONT if likely else OF_DESIGN if trial["origin"] == "design" else OF_SAMPLER
        rows[kind].append({**row, "x": times[trial["trial"]]})
    every = [row for each in rows.values() for row in each]
    most = max(times.values())
    x = linear_axis(unit, (-0.02 * most, 1.02 * most), lambda value: f"{value:,g}")
    y = goal_axis(goal, axis_span((), observed=field_values(every, "y")))
    said = trial_titles(experiment)
    layers = [Layer("point", kind, each, size=36, tooltip=said) for kind, each in rows.items()]
    failed = sum(each.state == "fail" for each in data.trials)
    text = (
        f"Each mark is one of {counted(len(every), 'complete trial')}, at the {goal.label} of its "
        f"own games; {counted(failed, 'trial')} failed. Diamonds are on the front with a "
        f"probability of at least {LIKELY:.0%}."
    )
    return Chart(
        "timeline",
        TRIALS,
        text,
        theta_table(analysis),
        [[Panel(x, y, layers, HEIGHT_OF_TRIALS)]],
        experiment.title,
    )


def hypervolume_chart(analysis: Analysis) -> Chart:
    """Return the chart of how the hypervolume grew.

    The caption also counts failures, and says how busy the workers were.
    """
    data, experiment = analysis.data, analysis.data.experiment
    goal, effort = experiment.goal, effort_text(analysis.data)
    if analysis.model is None:
        return Chart(KEY, TITLE, f"No trial is complete yet. {effort}")
    times, unit = times_of_trials(data)
    trace = hypervolume_trace(data)
    until = np.maximum.accumulate([times[number] for number in sorted(times)])
    trace["time"] = until[trace["n_trials"] - 1]
    validated = validated_hypervolume(analysis.rows, experiment, data.reference)
    area = f"{goal.format.area_unit} · decades"
    too_high = (
        "the trials' own values."
        if goal.is_exact
        else "observed means and is too high, because the best of noisy means are good mostly by "
        "luck."
    )
    text = (
        "Hypervolume is the area between a front and the reference point. The curves show how it "
        "grows as trials are added, up to all "
        f"{counted(int(trace['n_trials'].iloc[-1]), 'complete trial')}. One curve is for up to "
        "12 points on the front that the model predicts from the trials so far; the other is "
        f"for {too_high}"
    )
    if math.isfinite(validated[0]):
        text += f" Hypervolume of the validated points: {area_text(validated, goal)} {area}."
    if data.reference is not None:
        worst, max_cost = data.reference
        at = experiment.cost.in_words(max_cost)
        text += f" Reference point: {goal.format.with_unit(worst)} at {at}."
    panels = make_panels(trace, validated, analysis, unit)
    if n_beyond := int((trace[["predicted", "observed"]] > panels[0].y.high).sum().sum()):
        text += f" The axis leaves out {counted(n_beyond, 'value')}."
    return Chart(
        KEY,
        TITLE,
        f"{text} {effort}",
        make_table(trace, unit, area, goal),
        [panels],
        experiment.title,
    )


def make_panels(
    trace: pd.DataFrame, validated: tuple[float, float, float], analysis: Analysis, unit: str
) -> list[Panel]:
    """Return two panels: the curves against games, and the curves against time."""
    goal = analysis.data.experiment.goal
    curves = {OBSERVED_EXACT if goal.is_exact else OBSERVED: "observed", MODEL: "predicted"}
    rows = {
        kind: [
            {
                "n_games": row["n_games"],
                "time": row["time"],
                "y": row[column],
                "who": kind.label,
                "seen": f"{goal.format.area(row[column])} {goal.format.area_unit} · decades",
                "m": int(row["n_trials"]),
                "g": f"{row['n_games']:,.0f}",
                "t": f"{row['time']:,.3g}",
            }
            for row in trace.to_dict("records")
        ]
        for kind, column in curves.items()
    }
    said = {"who": "of", "seen": "hypervolume", "m": "trials", "g": "games", "t": unit}
    known = [each for each in validated if math.isfinite(each)]
    values = [row["y"] for each in rows.values() for row in each]
    y = area_axis(goal, axis_span(known or values, observed=values))
    n_design = sum(trial.origin == "design" for trial in analysis.data.complete_trials)
    panels = []
    for name, title in (("n_games", GAMES), ("time", unit)):
        most = float(trace[name].max())
        x = linear_axis(title, (-0.02 * most, 1.02 * most), lambda value: f"{value:,g}", N_TICKS)
        layers: list[Layer] = []
        if known:
            volume, low, high = validated
            band = [{"low": low, "y": volume, "high": high}]
            layers = [
                Layer("rect", VALIDATED, band, x.low, "low", x.high, "high", opacity=0.18),
                Layer("rule", VALIDATED, band, x.low, x2=x.high),
            ]
        steps = trace[trace["n_trials"] <= n_design]
        if len(steps) and n_design < trace["n_trials"].iloc[-1]:
            end = [{"x": float(steps[name].iloc[-1])}]
            layers.append(Layer("rule", DESIGN, end, y=y.low, y2=y.high, size=1.2))
        for kind, curve in rows.items():
            mark: Any = "line" if kind is MODEL else "step"
            layers.append(Layer(mark, kind, curve, x=name))
            layers.append(Layer("point", kind, curve, x=name, size=26, tooltip=said))
        panels.append(Panel(x, y, layers, HEIGHT))
    return panels


def times_of_trials(data: StudyData) -> tuple[dict[int, float], str]:
    """Return the time when each complete trial ended, by its number, and what is counted as time.

    Time is usually the wall time of the search in minutes, without pauses in which no trial was
    running. If a study lacks the times of its trials, as a published study does, time is the total
    CPU time of the games up to the end of each trial, in seconds.
    """
    cpu, total = {}, 0.0
    for trial in data.complete_trials:
        total += sum(game.seconds for game in trial.games.values())
        cpu[trial.number] = total
    open_times = sorted(
        (trial.datetime_start.timestamp(), trial.datetime_complete.timestamp(), trial.number)
        for trial in data.frozen_trials
        if trial.number in cpu and trial.datetime_start and trial.datetime_complete
    )
    wall, passed, until = {}, 0.0, -math.inf
    for start, end, number in open_times:
        passed += max(0.0, end - max(start, until))
        until = max(until, end)
        wall[number] = passed / SECONDS_PER_MINUTE
    jobs = max([int(run.get("jobs") or 1) for run in data.runs], default=1)
    # If trials were written all at once, after the search, these wall times are much shorter than
    # the CPU time of the games.
    if len(wall) == len(cpu) and passed * jobs >= 0.5 * total:
        return wall, "minutes into the search"
    return cpu, "CPU seconds in games"


def area_text(area: tuple[float, float, float], goal: Goal) -> str:
    """Return the text of a hypervolume, with its 95% interval unless both ends are equal."""
    volume, low, high = map(goal.format.area, area)
    return volume if area[1] == area[2] else f"{volume} (95% interval {low} to {high})"


def effort_text(data: StudyData) -> str:
    """Say how many games were played, what failed, and how busy the workers were."""
    states = Counter(trial.state for trial in data.trials)
    n_games = sum(len(trial.games) for trial in data.trials)
    failures = counted(states["fail"], "trial") + " failed" if states["fail"] else "No trial failed"
    text = f"{counted(n_games, 'game')} in trials. {failures}."
    lost = sum(bool(point.error) for point in data.points)
    if lost:
        text += f" {counted(lost, 'validated point')} {'was' if lost == 1 else 'were'} left "
        text += "out because games failed."
    if data.has_failures:
        rate = rate_text(*data.failed_of_played)
        text += f" {rate} (95% interval); {counted_as(data.experiment.goal)}."
    name = "share_of_worker_time_in_games"
    shares = {}
    for phase in ("search", "validation"):
        found = [run[name] for run in data.runs if run.get("phase") == phase and name in run]
        if found and found[-1] is not None:
            shares[phase] = min(float(found[-1]), 1.0)
    if shares:
        said = " and ".join(f"{share:.1%} in the last {phase}" for phase, share in shares.items())
        text += f" Share of the workers' time spent in games: {said}."
    return text


def make_table(trace: pd.DataFrame, unit: str, area: str, goal: Goal) -> pd.DataFrame:
    """Return the curves' numbers with readable headings."""
    write = goal.format.area
    return pd.DataFrame(
        {
            "trials": trace["n_trials"].astype(int),
            "games": trace["n_games"].astype(int),
            unit: [f"{each:.3g}" for each in trace["time"]],
            f"by the model, {area}": [write(each) for each in trace["predicted"]],
            f"of observed values, {area}": [write(each) for each in trace["observed"]],
        }
    )


def hypervolume_trace(data: StudyData) -> pd.DataFrame:
    """Return the hypervolume of the first m trials, for up to 24 values of m.

    The columns are ``n_trials``, ``n_games``, and two hypervolumes in the goal's unit times
    decades. ``observed`` is the hypervolume of the observed means. It is biased upwards, because
    luck decides which of the noisy means are the best. ``predicted`` is the hypervolume of up to
    twelve points on the front that the model predicts from these trials, chosen as for validation.
    A quick search over the whole space finds this front.
    """
    experiment, goal = data.experiment, data.experiment.goal
    objectives, directions = Objectives.from_experiment(experiment), study_directions(goal)
    cube = UnitCube.from_space(experiment.space)
    trials = [trial for trial in data.frozen_trials if cube.is_whole(trial.params)]
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    worst, max_cost = data.reference or (math.nan, math.nan)
    worst *= goal.sign
    steps = np.unique(np.geomspace(1, max(1, len(complete)), N_STEPS).round().astype(int))
    n_games = {trial.number: len(trial.games) for trial in data.trials}
    rows = []
    for m in steps[steps <= len(complete)]:
        until = [trial for trial in trials if trial.number <= complete[m - 1].number]
        known = observe(until, cube, directions, objectives)
        allowed = Feasibility.learned_from(known).allowed
        known, posterior = Posterior.from_subset(known, MAX_CONDITIONED)
        rng = np.random.default_rng(0)
        tried = feasible(cube, known.points)  # a constraint may have become stricter
        points = np.concatenate([tried, sobol_points(cube, N_SOBOL, rng)])
        front = climb(points, posterior, cube, rng, N_ROUNDS, N_NEAR, allowed)
        front = front[most_hypervolume(posterior.mean(front), N_POINTS)]
        scores, costs = posterior.goal(front).mean, posterior.cost(front)
        kept = [each for each in complete[:m] if not experiment.space.broken_by(each.params)]
        values = np.array([trial.values for trial in kept]).reshape(-1, 2)
        rows.append(
            {
                "n_trials": m,
                "n_games": sum(n_games[trial.number] for trial in complete[:m]),
                "observed": hypervolume(goal.sign * values[:, 0], values[:, 1], worst, max_cost),
                "predicted": hypervolume(goal.sign * scores, costs, worst, max_cost),
            }
        )
    return pd.DataFrame(rows, columns=["n_trials", "n_games", "observed", "predicted"])
