"""Two agents at equal time: which is stronger for the same CPU seconds a move.

Each agent has a study behind it. The points of its validated front are played again,
on seeds that neither study has used, all of them in turn, so that whatever else the machine does falls on all alike. Between two
neighbouring points of a front a score is read off the straight line over the logarithm of time: at any budget that
both fronts span there is then one score each, and their difference is a weighted sum of the points' mean scores.
No game that is counted here has chosen a point.

Source of the question: Ripstein (2023), §5.2, which conjectures that switching to expectimax is stronger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from study import estimate as intervals
from study.errors import InputError
from study.experiments.cost import SECONDS, engineering
from study.report.scores import estimate_columns, score_bars, score_columns, scores_of, shown
from study.report.style import BLACK, BLUE, RED, STYLE, caption, cost_axis, new_figure, points_axis
from study.report.tables import thetas_of
from study.report.validated_front import show_theta, without_baselines
from study.reproduce.equal_time.fronts import Front

N_BUDGETS = 3
FEWEST_POINTS = 2
STEP_OF_NOTES = 0.09  # of the picture's height


@dataclass(frozen=True)
class Contender:
    """An agent with the points of its study's validated front.

    Attributes
    ----------
    name : str
        The study's.
    title : str
        The experiment's.
    cost : str
        By which its front was chosen.
    agents : dict of str to Agent
        By a name for each point, the cheapest first.
    thetas : dict of str to str
        θ of each, for people.
    """

    name: str
    title: str
    cost: str
    agents: dict[str, Agent]
    thetas: dict[str, str]


def contender_of(front_of: Front) -> Contender:
    """Take the points of a study's validated front, its baselines left out.

    Raises
    ------
    InputError
        If there are fewer than two.
    """
    name, experiment = front_of.name, front_of.experiment
    searched = without_baselines(front_of.validated, experiment)
    front = searched[searched["on_front"]] if len(searched) else searched
    if len(front) < FEWEST_POINTS:
        raise InputError(
            f"study: {name!r} has {len(front)} points to compare on its validated front, {FEWEST_POINTS} or more allowed "
            f"(thetafront validate {name})"
        )
    agents, thetas = {}, {}
    for (_, row), theta in zip(front.iterrows(), thetas_of(front, experiment), strict=True):
        key = f"{name}, {row['origin']} {row['point'][:6]}"
        agents[key] = experiment.build(theta)
        labels = [parameter.label for parameter in experiment.space]
        thetas[key] = ", ".join(
            f"{label} {value}"
            for label, value in zip(labels, show_theta(row, experiment), strict=True)
        )
    return Contender(name, experiment.title, experiment.cost.name, agents, thetas)


def points_frame(
    contenders: Sequence[Contender], games: Mapping[str, Sequence[Game2048]]
) -> pd.DataFrame:
    """Return one row a point: mean score with its 95% interval (bootstrap), and cost, the cheapest first."""
    lines = []
    for contender in contenders:
        for key, theta in contender.thetas.items():
            about = {"study": contender.name, "point": key, "theta": theta}
            lines.append({**about, **score_columns(games[key])})
    frame = pd.DataFrame(lines)
    order = [contender.name for contender in contenders]
    frame["study"] = pd.Categorical(frame["study"], order)
    return frame.sort_values(["study", "seconds_per_move"], kind="stable").reset_index(drop=True)


def budgets_of(frame: pd.DataFrame) -> list[float]:
    """Return three budgets in seconds a move, at 1/6, 1/2 and 5/6 of what all fronts span, in logarithms.

    Raises
    ------
    InputError
        If the fronts have no time in common.
    """
    by_study = frame.groupby("study", observed=True)["seconds_per_move"]
    low, high = float(by_study.min().max()), float(by_study.max().min())
    if low >= high:
        raise InputError(
            f"studies: fronts from {engineering(low)} and up to {engineering(high)} a move given, fronts "
            "with a time in common allowed"
        )
    shares = (np.arange(N_BUDGETS) + 0.5) / N_BUDGETS
    return [float(each) for each in low * (high / low) ** shares]


def weights_at(costs: npt.NDArray[np.float64], budget: float) -> npt.NDArray[np.float64]:
    """Return by what weights points of increasing cost make the score at a budget, shape (n_points,).

    The straight line between the two neighbours, over log cost; the budget lies between the ends.
    """
    weights = np.zeros(len(costs))
    right = int(np.clip(np.searchsorted(costs, budget), 1, len(costs) - 1))
    near, far = np.log(costs[right - 1]), np.log(costs[right])
    share = (np.log(budget) - near) / (far - near)
    weights[right - 1], weights[right] = 1.0 - share, share
    return weights


def difference_frame(
    contenders: Sequence[Contender],
    frame: pd.DataFrame,
    games: Mapping[str, Sequence[Game2048]],
) -> pd.DataFrame:
    """Return one row a budget: the second contender's score, the first's, and their difference.

    The times are taken as exact. A score at a budget is a mean over seeds of weighted scores, whose 95% interval is
    a bootstrap's; so is that of the difference, in pairs of equal seeds.
    """
    lines = []
    for budget in budgets_of(frame):
        line: dict[str, object] = {"seconds_per_move": budget}
        weighted = []
        for role, contender in zip(("first", "second"), contenders, strict=True):
            part = frame[frame["study"] == contender.name]
            weights = weights_at(part["seconds_per_move"].to_numpy(float), budget)
            scores = np.array([scores_of(games[key]) for key in part["point"]])
            weighted.append(weights @ scores)
            at = intervals.mean(weighted[-1])
            line |= {
                f"{role}_score_points": at.value,
                f"{role}_low95_points": at.low,
                f"{role}_high95_points": at.high,
            }
        apart = intervals.difference(weighted[1], weighted[0])
        line |= estimate_columns("difference", apart) | {"n_games_a_point": len(weighted[0])}
        lines.append(line)
    return pd.DataFrame(lines)


def chosen_by(contenders: Sequence[Contender]) -> str:
    """Say by which costs the fronts were chosen: what is not a playout counts in seconds alone."""
    costs = ", ".join(f"that of {each.name} by {each.cost}" for each in contenders)
    return f"The fronts were chosen by validated scores and costs: {costs}."


def verdict(row: "pd.Series[float]", contenders: Sequence[Contender]) -> str:
    """Say which is stronger at a budget."""
    if row["difference_low95_points"] > 0:
        return f"{contenders[1].name} is stronger"
    if row["difference_high95_points"] < 0:
        return f"{contenders[0].name} is stronger"
    return "not told apart"


def equal_time_markdown(
    contenders: Sequence[Contender],
    frame: pd.DataFrame,
    differences: pd.DataFrame,
    seeds: Sequence[int],
) -> str:
    """Write both tables as Markdown."""
    first, second = (contender.name for contender in contenders)
    n = int(differences["n_games_a_point"].iloc[0])
    lines = [
        f"# {second} against {first} at equal CPU time",
        "",
        f"Points of both studies' validated fronts, {n:,} games each on the seeds {seeds[0]} to {seeds[-1]}, which "
        f"neither study has used. {chosen_by(contenders)} In parentheses 95% intervals by bootstrap (Student's t below 20 games); differences in pairs of equal seeds. "
        "Between neighbouring points scores are read off straight lines over log time.",
        "",
        f"| CPU time a move | {first} | {second} | difference | |",
        "|---:|---:|---:|---:|---|",
    ]
    for _, row in differences.iterrows():
        cells = [
            shown(row, "first_score", "first"),
            shown(row, "second_score", "second"),
            shown(row, "difference", "difference", "+"),
        ]
        budget = engineering(row["seconds_per_move"])
        lines.append(f"| {budget} | {' | '.join(cells)} | {verdict(row, contenders)} |")
    lines += [
        "",
        "| point | θ | n | CPU time a move | playout moves a move | mean score |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for _, row in frame.iterrows():
        lines.append(
            f"| {row['point']} | {row['theta']} | {row['n_games']:,} | {engineering(row['seconds_per_move'])} | "
            f"{row['playout_moves_per_move']:,.0f} | {shown(row, 'score_mean', 'score')} |"
        )
    return "\n".join(lines) + "\n"


@mpl.rc_context(STYLE)
def equal_time_figure(
    contenders: Sequence[Contender], frame: pd.DataFrame, differences: pd.DataFrame
) -> Figure:
    """Draw both fronts on fresh seeds, and the differences at the budgets."""
    figure, axes = new_figure(8.6, 5.4)
    for contender, colour in zip(contenders, (BLUE, RED), strict=True):
        part = frame[frame["study"] == contender.name]
        score_bars(
            axes,
            part["seconds_per_move"],
            part,
            fmt="o-",
            color=colour,
            linewidth=1.3,
            markersize=5,
            capsize=2,
            label=f"{contender.name}: {contender.title}",
        )
    # One below the other: budgets may be too near for two to stand side by side.
    top = float(frame["score_high95_points"].max()) * (1.14 + STEP_OF_NOTES * len(differences))
    notes = top * (1.0 - STEP_OF_NOTES * np.arange(len(differences)))
    for (_, row), height in zip(differences.iterrows(), notes, strict=True):
        axes.axvline(row["seconds_per_move"], color=BLACK, linestyle=":", linewidth=1)
        axes.annotate(
            f"{row['difference_points']:+,.0f}\n({row['difference_low95_points']:+,.0f} to "
            f"{row['difference_high95_points']:+,.0f})",
            (row["seconds_per_move"], height),
            ha="center",
            va="top",
            fontsize=8.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
    cost_axis(axes, SECONDS)
    points_axis(axes)
    axes.set_ylim(0, top)
    axes.set_ylabel("mean score on fresh seeds, points")
    axes.set_title("Two validated fronts at equal time")
    axes.legend(loc="lower right", fontsize=8.5)
    n = int(differences["n_games_a_point"].iloc[0])
    second = contenders[1].name
    caption(
        figure,
        f"{n:,} games a point, the same fresh seeds for all; bars: 95% intervals. At the dotted lines: how much "
        f"higher {second} scores in the same CPU time a move, with its 95% interval. {chosen_by(contenders)}",
    )
    return figure
