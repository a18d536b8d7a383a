"""The chart of a front: the goal against cost, with trials, models and validated points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from thetafront.study.experiments.definition import Experiment
from thetafront.study.page.charts.axes import (
    Row,
    cost_axis,
    goal_axis,
    goal_domain,
    rounded,
    rows_of,
    short,
    theta_row,
    theta_tooltips,
    told_apart,
    within_limits,
)
from thetafront.study.page.charts.palette import (
    BLUE,
    DASHED,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PINK,
    Kind,
    encodings,
)
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import Tables
from thetafront.study.report.tables import games_note
from thetafront.study.report.validated_rows import cost_columns

HEIGHT = 400
NOTEBOOK_WIDTH = 620
TITLE = "The front"
BUDGET, CHOSEN = "budget", "chosen"

# Short labels: two columns of them fit into 400 px.
TRIALS = Kind("trials", GREY)
PREDICTED = Kind("predicted by trials", BLUE, LINE, dash=DASHED)
FUSED = Kind("given all games", GREEN, LINE)
ON_FRONT = Kind("validated, front", ORANGE)
BEATEN = Kind("validated, beaten", ORANGE, is_hollow=True)
BASELINE = Kind("baseline, front", PINK, "diamond")
BEATEN_BASELINE = Kind("baseline, beaten", PINK, "diamond", is_hollow=True)
KINDS = {  # of validated points, by whether they are baselines and on the front
    (False, True): ON_FRONT,
    (False, False): BEATEN,
    (True, True): BASELINE,
    (True, False): BEATEN_BASELINE,
}


@dataclass(frozen=True)
class FrontChart:
    """What the chart of a front is made of.

    Attributes
    ----------
    tables : dict of str to DataFrame
        Of the study; one trial at least is complete.
    experiment : Experiment
        For goal, cost and parameters.
    """

    tables: Tables
    experiment: Experiment

    @property
    def complete(self) -> pd.DataFrame:
        """The trials that can be drawn: complete ones, with a cost above 0."""
        trials = self.tables["trials"]
        return trials[(trials["state"] == "complete") & (trials[self.experiment.cost.name] > 0.0)]

    def trials(self) -> list[Row]:
        """Return a row a trial."""
        goal, cost = self.experiment.goal, self.experiment.cost
        rows = []
        for trial in self.complete.to_dict("records"):
            mean, sem = trial[goal.column("mean")], trial[goal.column("sem")]
            row = {
                "kind": TRIALS.label,
                "x": trial[cost.name],
                "y": mean,
                "who": f"trial {trial['trial']}, {trial['origin']}",
                "n": int(trial["n_games"]),
                "seen": goal.format.with_unit(mean)
                + (f", standard error {goal.format.error(sem)}" if sem > 0.0 else ""),
                "cost": cost.text(trial[cost.name]),
                "p": trial.get("p_on_front"),
                **theta_row(trial, self.experiment),
            }
            if goal.posterior_column("mean") in trial:
                model, deviation = (trial[goal.posterior_column(each)] for each in ("mean", "sd"))
                row["model"] = goal.format.with_unit(model) + (
                    f", standard deviation {goal.format.error(deviation)}"
                )
            rows.append(row)
        return rows

    def curve(self, kind: Kind) -> list[Row]:
        """Return rows of the predicted or of the fused front."""
        goal, cost = self.experiment.goal, self.experiment.cost
        name, column, at = (
            ("predicted_front", goal.posterior_column, cost.name)
            if kind is PREDICTED
            else ("combined_front", goal.combined_column, f"combined_{cost.name}")
        )
        table = self.tables.get(name)
        if table is None or not len(table):
            return []
        rows = []
        for row in table.to_dict("records"):
            ends = [row[column(each)] for each in ("mean", "low95", "high95")]
            mean, low, high = within_limits(goal, np.array(ends)).tolist()
            rows.append(
                {
                    "kind": kind.label,
                    "x": row[at],
                    "y": mean,
                    "low": low,
                    "high": high,
                    "cost": cost.text(row[at]),
                    "seen": goal.format.interval_with_unit(mean, low, high),
                    **theta_row(row, self.experiment),
                }
            )
        return rows

    def validated(self) -> list[Row]:
        """Return a row a validated point."""
        goal, cost = self.experiment.goal, self.experiment.cost
        rows = []
        for point in self.tables["front"].to_dict("records"):
            mean, low, high = (point[goal.column(each)] for each in ("mean", "low95", "high95"))
            is_given = point["origin"] in self.experiment.baselines
            kind = KINDS[is_given, bool(point["on_front"])]
            x, left, right = cost_interval(point, self.experiment)
            row = {
                "kind": kind.label,
                "number": int(point["number"]),
                "x": x,
                "left": left,
                "right": right,
                "y": mean,
                "low": low,
                "high": high,
                "who": f"{point['number']}, {short(str(point['origin']))}",
                "n": int(point["n_games"]),
                "seen": goal.format.interval_with_unit(mean, low, high),
                "cost": cost.interval(x, left, right),
                "p": point["p_on_front"],
                **theta_row(point, self.experiment),
            }
            for key, column in (("all", goal.combined_column), ("model", goal.posterior_column)):
                if column("mean") in point:
                    found = (float(point[column(each)]) for each in ("mean", "low95", "high95"))
                    row[key] = goal.format.interval_with_unit(*found)
            rows.append(row)
        return rows

    def chart(self) -> alt.LayerChart:
        """Return the chart; its width is that of what contains it."""
        experiment = self.experiment
        goal = experiment.goal
        trials, validated = self.trials(), self.validated()
        curves = {PREDICTED: self.curve(PREDICTED)}
        if validated:
            curves[FUSED] = self.curve(FUSED)
        everything = [*trials, *validated, *(row for rows in curves.values() for row in rows)]
        used = {row["kind"] for row in everything}
        order = (TRIALS, PREDICTED, FUSED, *KINDS.values())
        kinds = [each for each in order if each.label in used]
        costs = [row["x"] for row in everything]
        x = alt.X("x:Q", **cost_axis(experiment.cost, min(costs), max(costs)))
        domain = goal_domain(
            goal,
            [row["y"] for row in everything],
            [row[end] for row in everything for end in ("low", "high") if end in row],
        )
        y = alt.Y(
            "y:Q",
            axis=goal_axis(goal),
            scale=alt.Scale(domain=[rounded(each) for each in domain], nice=False, zero=False),
        )
        layers: list[alt.Chart] = []
        for rows in curves.values():
            layers += self.curve_layers(rows, kinds, x, y)
        layers.append(
            alt.Chart(rows_of(trials))
            .mark_point(size=26, opacity=0.55, strokeWidth=0, clip=True)
            .encode(
                x=x,
                y=y,
                tooltip=self.tooltips("trial"),
                **encodings(kinds, "stroke", "fill", "shape"),
            )
        )
        if validated:
            layers += self.validated_layers(validated, kinds, x, y)
        budget: Any = alt.param(name=BUDGET, value=None)
        rule = (
            alt.Chart(alt.InlineData(values=[{}]))
            .transform_calculate(at=BUDGET)
            .transform_filter("isValid(datum.at)")
            .mark_rule(strokeDash=[4, 4], strokeWidth=1.5, color=GREY, clip=True)
            .encode(x=alt.X("at:Q"))
        )
        return alt.LayerChart(
            layer=[*layers, rule],
            params=[budget.param],
            width="container",
            height=HEIGHT,
            description=f"{goal.label} against {experiment.cost.label}",
        )

    def tooltips(self, of: str) -> list[alt.Tooltip]:
        """Return what is said of a trial, of a model's front, or of a validated point."""
        goal, cost = self.experiment.goal, self.experiment.cost
        said = {
            "who": of,
            "seen": f"{goal.label}, 95% interval" if of != "trial" else f"{goal.label}, observed",
            "n": "games",
            "cost": cost.label,
            "all": f"{goal.label} given all games",
            "model": f"{goal.label} by the model of trials",
        }
        if of == "front":
            said = {"kind": "front", "seen": f"{goal.label}, 95% band", "cost": cost.label}
        elif of == "trial":
            del said["all"]
        found = [alt.Tooltip(f"{field}:N", title=short(title, 60)) for field, title in said.items()]
        if of != "front":
            found.append(alt.Tooltip("p:Q", title="P(on front)", format=".0%"))
        return told_apart([*found, *theta_tooltips(self.experiment)])

    def curve_layers(
        self, rows: Sequence[Row], kinds: Sequence[Kind], x: alt.X, y: alt.Y
    ) -> list[alt.Chart]:
        """Return band, line and what answers to a pointer, of a model's front."""
        if not rows:
            return []
        chart = alt.Chart(rows_of(rows))
        line = encodings(kinds, "stroke", "strokeDash")
        return [
            chart.mark_area(opacity=0.16, clip=True).encode(
                x=x, y=alt.Y("low:Q"), y2="high:Q", **encodings(kinds, "fill")
            ),
            chart.mark_line(strokeWidth=1.8, clip=True).encode(x=x, y=y, **line),
            chart.mark_circle(size=90, opacity=0, clip=True).encode(
                x=x, y=y, tooltip=self.tooltips("front")
            ),
        ]

    def validated_layers(
        self, rows: Sequence[Row], kinds: Sequence[Kind], x: alt.X, y: alt.Y
    ) -> list[alt.Chart]:
        """Return validated points with their intervals; they can be chosen."""
        chart = alt.Chart(rows_of(rows))
        chosen = alt.selection_point(name=CHOSEN, fields=["number"], empty=False)
        stroke = encodings(kinds, "stroke")
        bars = [
            chart.mark_rule(strokeWidth=1.4, clip=True).encode(
                x=x, y=alt.Y("low:Q"), y2="high:Q", **stroke
            ),
            chart.mark_rule(strokeWidth=1.4, clip=True).encode(
                x=alt.X("left:Q"), x2="right:Q", y=y, **stroke
            ),
        ]
        points = chart.mark_point(strokeWidth=2, opacity=1, clip=True, cursor="pointer").encode(
            x=x,
            y=y,
            size=alt.when(chosen).then(alt.value(260)).otherwise(alt.value(80)),
            tooltip=self.tooltips("validated point"),
            **encodings(kinds, "stroke", "fill", "shape"),
        )
        return [*bars, points.add_params(chosen)]


def cost_interval(point: Mapping[Any, Any], experiment: Experiment) -> tuple[float, float, float]:
    """Return a validated point's cost with its 95% interval.

    One with too few games to tell the interval has that of the model given all games.
    """
    name, *ends = cost_columns(experiment.cost)
    found = [point[name]]
    for end in ends:
        value = point.get(end, math.nan)
        if math.isnan(value):
            combined = point.get(f"combined_{name}", math.nan)
            value = point[name] * (point.get(f"combined_{end}", math.nan) / combined)
        found.append(point[name] if math.isnan(value) else value)
    return found[0], found[1], found[2]


def front_figure(data: Analysis) -> Figure:
    """Return the goal against cost: trials, models' fronts, validated points with intervals."""
    experiment, front = data.data.experiment, data.tables["front"]
    if data.model is None:
        text = "No trial is complete yet: there is nothing to draw."
        return Figure("front", TITLE, text, None, front_table(front, experiment))
    chart = FrontChart(data.tables, experiment)
    goal = experiment.goal
    luck = "" if goal.is_exact else "; the best observed means are mostly luck"
    text = f"A faint dot is a trial: {games_note(chart.complete, 'trial')}{luck}."
    if len(front):
        bars = (
            "values are exact, times are measured again"
            if goal.is_exact
            else "with 95% intervals in both directions"
        )
        text += (
            f" Large marks are validated on seeds that the search never used: "
            f"{games_note(front, 'point')}, {bars}; hollow ones are beaten by "
            "another one, diamonds are baselines. "
            "The dashed line is what the trials alone predict, the solid one is given all games, "
            "validation's too; both with 95% bands."
        )
    else:
        text += (
            " The dashed line is the front that they predict, with its 95% band; nothing is "
            "validated yet."
        )
    drawn = chart.chart().properties(background="transparent")
    return Figure("front", TITLE, text, drawn, front_table(front, experiment))


def front_table(front: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return validated points with readable headings."""
    goal, cost = experiment.goal, experiment.cost
    rows = []
    for point in front.to_dict("records"):
        row = {"number": int(point["number"]), "from": point["origin"]}
        row |= {each.label: each.text(rounded(point[each.name], 4)) for each in experiment.space}
        row["games"] = int(point["n_games"])
        mean, low, high = (point[goal.column(each)] for each in ("mean", "low95", "high95"))
        row[f"{goal.label}, 95% interval"] = goal.format.interval_with_unit(mean, low, high)
        row[f"{cost.label}, 95% interval"] = cost.interval(*cost_interval(point, experiment))
        row["on the front"] = "yes" if point["on_front"] else "no"
        row["P(on front)"] = f"{point['p_on_front']:.0%}"
        rows.append(row)
    return pd.DataFrame(rows)


def notebook_chart(tables: Tables, experiment: Experiment) -> alt.LayerChart:
    """Return the chart of a front as a notebook shows it: titled, of a fixed width."""
    title = f"{experiment.title}: {experiment.goal.label} against {experiment.cost.label}"
    return FrontChart(tables, experiment).chart().properties(title=title, width=NOTEBOOK_WIDTH)
