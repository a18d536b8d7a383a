"""How often intervals from a few games hold, measured on the games of published studies.

From each validated point with at least 2n games, n games are drawn at random. An interval of the
mean of these n games holds if it contains the mean of all games of the point. Its width is
corrected for the games that both means have in common.

- *Alone*: the interval uses only the n games.
- *With others*: the interval is the one that a study shows. Its estimate of the games' variance has
  a prior, which is fitted to the variances of all points and trials.
- *Narrowest*: the 1% quantile of the intervals' widths, divided by their median.
"""

from itertools import chain
from pathlib import Path

import numpy as np

from results.benchmarks.samplers.surfaces import Floats
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.published_study import read_published
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.shrinkage import Moments

STUDIES = ("mcmdp", "heuristic", "ntuple", "uct", "zstd")
SIZES = (2, 3, 5, 10, 20, 30, 100)
N_REPEATS = 100
REFERENCE = Path(__file__).parents[1] / "reference"
NOTE = "Games with equal scores give no interval on their own, and are not counted as *alone*."


def judged(goal: Goal, trials: list[Moments], points: list[Floats], n: int) -> Floats:
    """Return whether intervals hold, and half of their widths, alone and with others.

    The shape is (2, 2, n_intervals). The first axis is: alone, with others. The second axis is:
    whether the interval holds (1 or 0), half of its width (NaN without an interval).
    """
    rng, found = np.random.default_rng(n), []
    for _ in range(N_REPEATS):
        drawn = [rng.choice(each, n, replace=False) for each in points]
        prior = goal.estimator.prior([*trials, *map(Moments.from_sample, drawn)])
        for games, each in zip(points, drawn, strict=True):
            common = np.sqrt(1.0 - n / len(games))

            def hold(
                estimate: Estimate, mean: float = games.mean(), share: float = common
            ) -> Floats:
                half = (estimate.high - estimate.low) / 2.0
                return np.array([abs(estimate.value - mean) <= share * half, half])

            found.append([hold(goal.estimator.estimate(each, *p)) for p in ((), (prior,))])
    return np.transpose(np.array(found), (1, 2, 0))


def cells(holds: Floats, half: Floats) -> list[str]:
    """Return the share of intervals that hold, and the narrowest width, as text."""
    half, holds = half[np.isfinite(half)], holds[np.isfinite(half)]
    return [f"{holds.mean():.3f}", f"{np.quantile(half, 0.01) / np.median(half):.2f}"]


def main() -> None:
    """Print the table."""
    rows = []
    for name in STUDIES:
        _, data = read_published(REFERENCE / name)
        goal = data.experiment.goal
        games = [goal.samples(each.in_order) for each in data.points]
        for n in SIZES:
            points = [each for each in games if len(each) >= 2 * n]
            found = judged(goal, [*data.moments.values()], points, n)
            rows.append([name, f"{n}", *chain.from_iterable(cells(*each) for each in found)])
    columns = ["study", "n", "alone", "narrowest", "with others", "narrowest"]
    print(document("Intervals of a few games", NOTE, markdown_table(columns, rows)))


if __name__ == "__main__":
    main()
