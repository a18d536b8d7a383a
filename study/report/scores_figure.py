"""The figure of single games along the validated front."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from thetafront.study.experiments.definition import Experiment
from thetafront.study.report.style import BLUE, RED, STYLE, caption, new_figure
from thetafront.study.report.tables import games_note

MOST_LABELS = 12
# Of dots of single games, so many that a row of 60 is as visible as one of 1,000.
GAMES_AT_FULL_INK, FAINTEST, DARKEST = 30.0, 0.25, 0.6


@mpl.rc_context(STYLE)
def scores_figure(validated: pd.DataFrame, games: pd.DataFrame, experiment: Experiment) -> Figure:
    """Draw how single games' scores spread along the validated front.

    Parameters
    ----------
    validated, games : DataFrame
        ``validated`` has one row at least.
    experiment : Experiment
        For the title, the goal and the cost.
    """
    front = validated[validated["on_front"]]
    if len(front) > MOST_LABELS:
        chosen = np.linspace(0, len(front) - 1, MOST_LABELS).round().astype(int)
        front = front.iloc[np.unique(chosen)]
    figure, axes = new_figure(8.6, 0.55 * len(front) + 2.2)
    rng = np.random.default_rng(0)
    for position, (_, row) in enumerate(front.iterrows()):
        scores = games.loc[games["point"] == row["point"], experiment.goal.game_column].to_numpy(
            float
        )
        heights = position + rng.uniform(-0.3, 0.3, len(scores))
        ink = min(DARKEST, max(FAINTEST, GAMES_AT_FULL_INK / max(len(scores), 1)))
        axes.plot(scores, heights, "o", color=BLUE, alpha=ink, markersize=3.2, markeredgewidth=0)
        mean = row[experiment.goal.column("mean")]
        axes.plot(mean, position, "|", color=RED, markersize=26, markeredgewidth=2)
    cost = experiment.cost
    axes.set_yticks(range(len(front)))
    axes.set_yticklabels(
        [
            f"{row['number']}:  "
            + ", ".join(
                [
                    row["origin"],
                    *(each.text(row[each.name]) for each in experiment.space.categorical),
                    cost.text(row[cost.name]),
                ]
            )
            for _, row in front.iterrows()
        ]
    )
    goal = experiment.goal
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: goal.format.at_axis(value)))
    axes.set_ylabel(f"number in pareto.png, origin, {cost.label}")
    axes.set_xlabel(f"{goal.label} of one game{goal.format.unit and f', {goal.format.unit}'}")
    axes.set_xlim(left=goal.limits[0])
    axes.set_ylim(-0.6, len(front) - 0.4)
    axes.set_title("Games along the validated front")
    caption(
        figure,
        f"{experiment.title}. A dot is a game (heights are random), an orange bar the "
        f"mean; {games_note(front, 'point')}.",
    )
    return figure
