"""Two agents at equal time: which one scores more at the same CPU time per move.

Each agent has a study. The points of its validated front are played again, on seeds that neither
study has used. All points take turns, so noise of the machine affects all of them equally. Between
neighbouring points of a front, the score is interpolated linearly over log time. So at a budget
within the times of both fronts, the difference of the agents' scores is a weighted sum of the
points' mean scores. None of these games was used to choose a point.

Source of the question: Ripstein (2023), §5.2, which conjectures that an agent is stronger if it
switches to expectimax on crowded boards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study import estimate as intervals
from thetafront.study.charts.axes import cost_axis, field_values, goal_axis
from thetafront.study.charts.chart import BLUE, GREY, ORANGE, Chart, Kind, Layer, Panel
from thetafront.study.charts.picture import picture
from thetafront.study.compare.comparison import Comparison
from thetafront.study.compare.scores import (
    estimate_columns,
    estimate_format,
    score_columns,
    score_layers,
    score_rows,
    shown,
)
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import SECONDS
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.experiments.objectives.goals import SCORE
from thetafront.study.report.front_tables import show_theta
from thetafront.study.report.sections import document, frame_table, markdown_table
from thetafront.study.report.tables import write_csv

N_BUDGETS = 3
MIN_POINTS = 2
STEP_OF_NOTES = 0.09  # of the figure's height


@dataclass(frozen=True)
class Contender:
    """An agent with the points of its study's validated front, the cheapest first."""

    name: str  # the study's
    title: str  # the experiment's
    cost: str  # the cost by which its front was chosen
    agents: dict[str, Agent]  # by the points' names
    thetas: dict[str, str]  # each θ as text


def within(points: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Drop the points that are cheaper, or more expensive, than all points of another front.

    Points are compared by playout moves per move, which do not depend on the machine.
    """
    costs, mine = others["playout_moves_per_move"], points["playout_moves_per_move"]
    inside: pd.DataFrame = points[(mine >= costs.min()) & (mine <= costs.max())]
    return inside.reset_index(drop=True)


def make_contender(name: str, experiment: Experiment, front: pd.DataFrame) -> Contender:
    """Return a study's contender; InputError if its front has fewer than two points."""
    if len(front) < MIN_POINTS:
        raise InputError(
            f"study {name!r} must have at least {MIN_POINTS} points on its validated front "
            f"(got {len(front)}); for more points, run thetafront validate {name}"
        )
    agents, thetas = {}, {}
    for row in front.to_dict("records"):
        key = f"{name}, {row['origin']} {row['point'][:6]}"
        agents[key] = experiment.build(experiment.space.present(row))
        labels = [parameter.label for parameter in experiment.space]
        thetas[key] = ", ".join(
            f"{label} {value}"
            for label, value in zip(labels, show_theta(row, experiment), strict=True)
        )
    return Contender(name, experiment.title, experiment.cost.name, agents, thetas)


def points_frame(
    contenders: Sequence[Contender], games: Mapping[str, Sequence[Game2048]]
) -> pd.DataFrame:
    """Return one row per point, the cheapest first: mean score with its 95% interval, and cost."""
    lines = []
    for contender in contenders:
        for key, theta in contender.thetas.items():
            about = {"study": contender.name, "point": key, "theta": theta}
            lines.append({**about, **score_columns(games[key])})
    frame = pd.DataFrame(lines)
    order = [contender.name for contender in contenders]
    frame["study"] = pd.Categorical(frame["study"], order)
    return frame.sort_values(["study", "seconds_per_move"], kind="stable").reset_index(drop=True)


def common_budgets(frame: pd.DataFrame) -> list[float]:
    """Return three budgets in seconds per move.

    They lie at 1/6, 1/2 and 5/6 of the range of log times that both fronts share. InputError if the
    fronts' ranges of times do not overlap.
    """
    by_study = frame.groupby("study", observed=True)["seconds_per_move"]
    low, high = float(by_study.min().max()), float(by_study.max().min())
    if low >= high:
        raise InputError(
            "studies must have fronts that overlap in time (got one from "
            f"{format_seconds(low)} per move and one up to {format_seconds(high)})"
        )
    shares = (np.arange(N_BUDGETS) + 0.5) / N_BUDGETS
    return [float(each) for each in low * (high / low) ** shares]


def weights_at(costs: npt.NDArray[np.float64], budget: float) -> npt.NDArray[np.float64]:
    """Return the weights of the points in the score at a budget, shape (n_points,).

    The score is interpolated linearly over log cost between the budget's two neighbours. ``costs``
    are in ascending order, and the budget is between their ends.
    """
    weights = np.zeros(len(costs))
    right = int(np.clip(np.searchsorted(costs, budget), 1, len(costs) - 1))
    near, far = np.log(costs[right - 1]), np.log(costs[right])
    share = (np.log(budget) - near) / (far - near)
    weights[right - 1], weights[right] = 1.0 - share, share
    return weights


def difference_frame(
    contenders: Sequence[Contender], frame: pd.DataFrame, games: Mapping[str, Sequence[Game2048]]
) -> pd.DataFrame:
    """Return one row per budget: both scores, and the second score minus the first.

    Times are treated as exact. A score at a budget is the mean over seeds of weighted scores, with
    a 95% bootstrap interval; differences are paired by seed.
    """
    lines = []
    for budget in common_budgets(frame):
        line: dict[str, Any] = {"seconds_per_move": budget}
        weighted = []
        for role, contender in zip(("first", "second"), contenders, strict=True):
            part = frame[frame["study"] == contender.name]
            weights = weights_at(part["seconds_per_move"].to_numpy(float), budget)
            scores = np.array([SCORE.samples(games[key]) for key in part["point"]])
            weighted.append(weights @ scores)
            line |= estimate_columns(f"{role}_score", role, intervals.mean(weighted[-1]))
        difference = intervals.difference(weighted[1], weighted[0])
        line |= estimate_columns("difference", "difference", difference)
        line["n_games_a_point"] = len(weighted[0])
        lines.append(line)
    return pd.DataFrame(lines)


def chosen_by(contenders: Sequence[Contender]) -> str:
    """Name the costs by which fronts were chosen; only seconds include work besides playouts."""
    first, second = contenders
    if first.cost == second.cost:
        return f"Each front was chosen by its points' estimated mean score and {first.cost}."
    costs = ", ".join(f"{each.cost} for {each.name}" for each in contenders)
    return f"Each front was chosen by the estimated mean score and one cost: {costs}."


def verdict(row: Any, contenders: Sequence[Contender]) -> str:
    """Say which agent is stronger at a budget."""
    if row["difference_low95_points"] > 0:
        return f"{contenders[1].name} is stronger"
    if row["difference_high95_points"] < 0:
        return f"{contenders[0].name} is stronger"
    return "not distinguishable"


def equal_time_markdown(
    contenders: Sequence[Contender],
    frame: pd.DataFrame,
    differences: pd.DataFrame,
    seeds: Sequence[int],
    overlap_only: bool,
) -> str:
    """Write both tables as Markdown."""
    left_out = "without baselines"
    if overlap_only:
        left_out += (
            " and without points outside the other front's range of playout moves per move "
            "(`--overlap-only`)"
        )
    first, second = (contender.name for contender in contenders)
    n = int(differences["n_games_a_point"].iloc[0])
    rows = [
        (
            format_seconds(row["seconds_per_move"]),
            shown(row, "first_score", "first"),
            shown(row, "second_score", "second"),
            shown(row, "difference", "difference", "+"),
            verdict(row, contenders),
        )
        for row in differences.to_dict("records")
    ]
    points = frame.assign(time=frame["seconds_per_move"].map(format_seconds))
    columns = (
        ("point", "{point}"),
        ("θ", "{theta}"),
        ("n", "{n_games:,}"),
        ("CPU time per move", "{time}"),
        ("playout moves per move", "{playout_moves_per_move:,.0f}"),
        ("mean score", estimate_format("score_mean", "score")),
    )
    return document(
        f"{second} against {first} at equal CPU time",
        f"Points from both studies' validated fronts, {left_out}, {n:,} games each on "
        f"seeds {seeds[0]} to {seeds[-1]}, which neither study has used. {chosen_by(contenders)} "
        "In parentheses: 95% bootstrap intervals (Student's t for fewer than 20 games); "
        "differences are paired by seed. Between neighbouring points, scores are interpolated "
        "linearly over log time.",
        markdown_table(("CPU time per move", first, second, "difference", ""), rows, "rrrrl"),
        frame_table(points, columns, "llrrrr"),
    )


def equal_time_figure(
    contenders: Sequence[Contender], frame: pd.DataFrame, differences: pd.DataFrame
) -> Figure:
    """Draw both fronts on fresh seeds, and the differences at the budgets."""
    layers, every = [], []
    for contender, colour in zip(contenders, (BLUE, ORANGE), strict=True):
        rows = score_rows(frame[frame["study"] == contender.name])
        kind = Kind(f"{contender.name}: {contender.title}", colour)
        layers += score_layers(kind, rows)
        every += rows
    # Notes stand one below the other, because budgets may be too close for notes side by side.
    top = max(field_values(every, "high")) * (1.1 + STEP_OF_NOTES * len(differences))
    notes = [
        {
            "x": row["seconds_per_move"],
            "y": top * (0.97 - STEP_OF_NOTES * k),
            "label": shown(row, "difference", "difference", "+").replace(" (", "\n("),
            "dx": 0,
            "dy": 0,
        }
        for k, row in enumerate(differences.to_dict("records"))
    ]
    dotted = Kind("", GREY, dash=(1, 2))
    layers += [Layer("rule", dotted, notes, y=0.0, y2=top), Layer("text", dotted, notes)]
    x = cost_axis(SECONDS, field_values(every, "x"))
    y = goal_axis(SCORE, (0.0, top), "mean score on fresh seeds, points")
    n = int(differences["n_games_a_point"].iloc[0])
    first, second = (contender.name for contender in contenders)
    text = (
        f"{n:,} games per point, all on the same fresh seeds. Bars: 95% intervals. At the dotted "
        f"lines: {second}'s score minus {first}'s at the same CPU time per move, "
        f"with its 95% interval. {chosen_by(contenders)}"
    )
    subject = f"{first} and {second}"
    panels, title = [[Panel(x, y, layers)]], "Two validated fronts at equal time"
    return picture(Chart("equal_time", title, text, panels=panels, subject=subject))


def compare(
    run: Comparison,
    contenders: Sequence[Contender],
    seeds: Sequence[int],
    settings: Mapping[str, Any],
) -> str:
    """Play the missing games of two contenders' points, write all files, and return the text.

    InputError if the fronts have no time in common; ``points.csv`` then shows their times.
    """
    agents = {key: agent for each in contenders for key, agent in each.agents.items()}
    played = run.play(agents, seeds)
    frame = points_frame(contenders, played)
    write_csv(frame, run.folder / "points.csv")
    differences = difference_frame(contenders, frame, played)
    text = equal_time_markdown(
        contenders, frame, differences, seeds, bool(settings["overlap_only"])
    )
    figure = equal_time_figure(contenders, frame, differences)
    run.write("equal_time", text, {"equal_time": differences}, figure, settings)
    return text
