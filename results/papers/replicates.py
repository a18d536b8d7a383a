"""How many games a trial needs: the example of Ripstein (2023), compared with real games.

A *trial* estimates the mean score of a θ from n games. An agent plays N games with each of two θ,
on the same seeds. Trials are drawn from these games with replacement. They show how much the mean
of a trial varies, and how often the two θ are ranked wrongly.

The standard error of the mean is s/√n, where s is the standard deviation of one game's score; s₁
and s₂ are those of the two θ. Let the mean score of the better θ be higher by δ. Then the
probability of the wrong order is approximately Φ(−δ·√n / √(s₁² + s₂²)). This probability is below p
if n is larger than (z·√(s₁² + s₂²)/δ)², where z is the normal quantile of 1 − p. Scores are
bimodal, so the approximation may fail for few games. The probability is therefore also counted, as
the share of the drawn trials that rank the two θ wrongly. For its interval, the count is repeated
in many *worlds*: in each world, a bootstrap sample of N scores replaces the real scores. The ends
of the interval are percentiles over the worlds.

Sources: Ripstein (2023), §5.1, *Parameter Optimization*; Efron and Tibshirani, *An Introduction to
the Bootstrap* (1993), §13.3, for the intervals.
"""

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from scipy.stats import binom, norm, pearsonr

from results.papers import paper
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.schedule import AUTHORS_THETA
from thetafront.study.estimate import Estimate, t95, t_interval

Floats = npt.NDArray[np.float64]

A, B = "A", "B"
THETAS = {A: AUTHORS_THETA, B: (903, 56, 38, 2, 10, 0.56)}
"""B is the rounded θ of a validated trial of the published sweep."""
P_SUCCESS, SUCCESS, FAILURE = 0.6, 70_000.0, 35_000.0  # §5.1: P(4096), scores with and without
MAX_GAMES_A_TRIAL = 100
STANDARD_ERRORS = (250.0, 500.0, 1_000.0, 2_000.0, 5_000.0)  # points
WRONG_LEVELS = (0.10, 0.05)
N_RESAMPLES = 20_000
N_DEVIATIONS = 2_000
N_WORLDS = 500
N_RESAMPLES_A_WORLD = 2_000
QUANTILES = {"low95": 0.025, "low50": 0.25, "median": 0.5, "high50": 0.75, "high95": 0.975}
ENDS = (QUANTILES["low95"], QUANTILES["high95"])
P_COLUMNS = ["p_wrong", "p_wrong_low95", "p_wrong_high95"]
SHOWN = (1, 2, 3, 4, 6, 9, 16, 25, 50, 100)
MARKED = (3, 4, 9)  # games per trial: 3 and 9 in the paper, 4 in our searches


def paper_frame() -> pd.DataFrame:
    """Compare the paper's figures (NaN: not given) with the exact values of its example (§5.1)."""
    expected = P_SUCCESS * SUCCESS + (1.0 - P_SUCCESS) * FAILURE
    deviation = (SUCCESS - FAILURE) * math.sqrt(P_SUCCESS * (1.0 - P_SUCCESS))
    third, mean = (SUCCESS + 2 * FAILURE) / 3, "47,333 = (70,000 + 2 × 36,000)/3"
    rows = [
        (1, "expected score, points", 56_000.0, expected, ""),
        (1, "standard deviation, points", math.nan, deviation, ""),
        (3, "P(4096 exactly once)", 0.375, binom.pmf(1, 3, P_SUCCESS), "0.375 is that of p = 0.5"),
        (3, "P(4096 at most once)", math.nan, binom.cdf(1, 3, P_SUCCESS), ""),
        (3, "mean score with 4096 once, points", 47_333.0, third, mean),
        (3, "standard error, points", math.nan, deviation / math.sqrt(3), ""),
        (9, "P(4096 at most 3 times)", 0.099, binom.cdf(3, 9, P_SUCCESS), ""),
        (9, "mean score with 4096 3 times, points", 47_333.0, third, "as for 3 games"),
        (9, "standard error, points", math.nan, deviation / math.sqrt(9), ""),
    ]
    return pd.DataFrame(rows, columns=["n_games", "what", "paper", "exact", "note"])


def drawn(scores: Floats, shape: int | tuple[int, int], rng: np.random.Generator) -> Floats:
    """Draw from scores with replacement."""
    return scores[rng.integers(len(scores), size=shape)]


def resampled_sums(
    scores: Floats, n_resamples: int, rng: np.random.Generator, n_max: int = MAX_GAMES_A_TRIAL
) -> Floats:
    """Draw trials of ``n_max`` games from scores with replacement; return cumulative sums.

    The shape is (n_resamples, n_max). Column n − 1 has the sum of the first n games of each trial.
    """
    return np.cumsum(drawn(scores, (n_resamples, n_max), rng), axis=1)


def estimate_deviation(scores: Floats, rng: np.random.Generator) -> Estimate:
    """Estimate the standard deviation of one score, with a percentile interval (Efron, §13.3)."""
    deviations = [drawn(scores, len(scores), rng).std(ddof=1) for _ in range(N_DEVIATIONS)]
    low, high = np.quantile(deviations, ENDS)
    return Estimate(float(scores.std(ddof=1)), float(low), float(high))


def means_frame(name: str, n_real: int, sums: Floats, deviation: Estimate) -> pd.DataFrame:
    """Return the distribution of the mean of n games and its standard error, one row per n."""
    n = np.arange(1, sums.shape[1] + 1)
    quantiles = np.quantile(sums, list(QUANTILES.values()), axis=0) / n
    ends = paper.interval_row("standard_error", deviation, "_points").items()
    columns = {"theta": name, "n_games": n, "n_real_games": n_real}
    columns |= {f"mean_{key}_points": row for key, row in zip(QUANTILES, quantiles, strict=True)}
    return pd.DataFrame(columns | {column: end / np.sqrt(n) for column, end in ends})


def games_for_error(deviation: float, standard_error: float) -> int:
    """Return the smallest number of games that reaches a standard error: (s/SE)², rounded up."""
    # The 1e-9 keeps a whole quotient with a small rounding error from being rounded up.
    return max(1, math.ceil((deviation / standard_error) ** 2 - 1e-9))


def errors_frame(name: str, n_real: int, deviation: Estimate) -> pd.DataFrame:
    """Return the number of games for each standard error, with its 95% interval."""
    ends = {"": deviation.value, "_low95": deviation.low, "_high95": deviation.high}
    rows = [
        {"theta": name, "standard_error_points": error}
        | {f"n_games{end}": games_for_error(value, error) for end, value in ends.items()}
        | {"n_real_games": n_real}
        for error in STANDARD_ERRORS
    ]
    return pd.DataFrame(rows)


def p_wrong_order(worse: Floats, better: Floats) -> Floats:
    """Return, for each n, the share of trials that rank the worse θ first; ties count half."""
    return np.asarray(0.5 + 0.5 * np.sign(worse - better).mean(axis=0))


def p_wrong_in_worlds(worse: Floats, better: Floats, rng: np.random.Generator) -> Floats:
    """Return the probability of the wrong order for each world and n."""
    probabilities = np.empty((N_WORLDS, MAX_GAMES_A_TRIAL))
    for row in probabilities:
        first, second = (
            resampled_sums(drawn(scores, len(scores), rng), N_RESAMPLES_A_WORLD, rng)
            for scores in (worse, better)
        )
        row[:] = p_wrong_order(first, second)
    return probabilities


def first_below(probabilities: Floats, level: float) -> float:
    """Return the smallest n with a probability below a level, or infinity if there is none."""
    below = np.flatnonzero(probabilities < level)
    return float(below[0] + 1) if len(below) else math.inf


def estimate_difference(worse: Floats, better: Floats) -> Estimate:
    """Estimate δ from equal numbers of unpaired games."""
    first, second = t_interval(worse), t_interval(better)
    value = second.value - first.value
    half = t95(len(worse)) * math.hypot(first.sem, second.sem)
    return Estimate(value, value - half, value + half)


def order_frame(worse: Floats, better: Floats, p: Floats, worlds: Floats) -> pd.DataFrame:
    """Return the smallest n at which the wrong order is rarer than each of :data:`WRONG_LEVELS`.

    Each n has a 95% interval. The columns ``normal_…`` have the n of the normal approximation, the
    other columns have the counted n. ``p`` has the counted probability of the wrong order for each
    n, and ``worlds`` has a row of these probabilities for each world. A counted n is infinite if
    :data:`MAX_GAMES_A_TRIAL` games are too few. All n are NaN if the interval of δ contains 0.
    """
    difference = estimate_difference(worse, better)
    gaps = (difference.value, difference.high, difference.low)
    deviation = math.hypot(worse.std(ddof=1), better.std(ddof=1))
    rows = []
    for level in WRONG_LEVELS:
        row = [math.nan] * 6
        if difference.low > 0:
            # "inverted_cdf" returns the n of one world; the mean of two worlds might be infinite.
            in_worlds = [first_below(world, level) for world in worlds]
            ends = np.quantile(in_worlds, ENDS, method="inverted_cdf").tolist()
            by_normal = [games_for_error(norm.ppf(1.0 - level) * deviation, gap) for gap in gaps]
            row = [first_below(p, level), *ends, *by_normal]
        rows.append([level, *row])
    names = ["n_games", "n_games_low95", "n_games_high95"]
    columns = ["p_wrong_below", *names, *(f"normal_{name}" for name in names)]
    return pd.DataFrame(rows, columns=columns, dtype=float)


def measure(scores: dict[str, Floats]) -> tuple[dict[str, pd.DataFrame], list[Estimate]]:
    """Return the tables, and for each θ the standard deviation of one game's score.

    The random numbers have a fixed seed, so the same scores always give the same results.
    """
    rng = np.random.default_rng(0)
    sums = {name: resampled_sums(each, N_RESAMPLES, rng) for name, each in scores.items()}
    deviations = {name: estimate_deviation(each, rng) for name, each in scores.items()}
    names = sorted(scores, key=lambda name: scores[name].mean())
    worse, better = (scores[name] for name in names)
    probabilities, n = p_wrong_order(*(sums[name] for name in names)), len(worse)
    worlds = p_wrong_in_worlds(worse, better, rng)
    by_n = pd.DataFrame({"n_games": np.arange(1, len(probabilities) + 1)})
    by_n[P_COLUMNS] = np.column_stack([probabilities, *np.quantile(worlds, ENDS, axis=0)])
    means = [means_frame(name, n, sums[name], deviations[name]) for name in scores]
    errors = [errors_frame(name, n, deviations[name]) for name in scores]
    tables = {
        "paper": paper_frame(),
        "replicates": pd.concat(means),
        "standard_errors": pd.concat(errors),
        "ranking": by_n.assign(n_real_games_worse=n, n_real_games_better=n),
        "order": order_frame(worse, better, probabilities, worlds),
    }
    return tables, list(deviations.values())


def games_axis(axes: Axes, where: Literal["lower right", "upper right"]) -> None:
    """Set up the x axis for games per trial, with some numbers marked, and draw the legend."""
    axes.set(xscale="log", xlim=(1, MAX_GAMES_A_TRIAL), xlabel="games per trial, n")
    axes.set_xticks(SHOWN, [str(n) for n in SHOWN])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis="x", visible=False)
    for n in MARKED:
        axes.axvline(n, color=paper.GREY, linestyle=(0, (1, 2)), linewidth=1.0, zorder=0.5)
    axes.legend(loc=where, frameon=True, framealpha=1, edgecolor="white")


def draw_means(axes: Axes, replicates: pd.DataFrame, scores: dict[str, Floats]) -> None:
    """Draw the distribution of the mean of n games."""
    for name, colour in ((A, paper.BLUE), (B, paper.RED)):
        frame = replicates[replicates["theta"] == name]
        n = frame["n_games"]
        for width, alpha in (("95", 0.13), ("50", 0.22)):
            low, high = (frame[f"mean_{end}{width}_points"] for end in ("low", "high"))
            axes.fill_between(n, low, high, color=colour, alpha=alpha, linewidth=0)
        edges = frame[["mean_low95_points", "mean_high95_points"]]
        axes.plot(n, edges, color=colour, linewidth=0.8, alpha=0.6)
        mean = paper.interval(t_interval(scores[name]))
        label = f"{name}, mean of all {len(scores[name]):,} games {mean:,.0f}"
        axes.plot(n, frame["mean_median_points"], color=colour, linewidth=1.8, label=label)
    games_axis(axes, "lower right")
    paper.points_axis(axes)
    axes.set(ylabel="mean score of the trial, points", title="Mean score of a trial of n games")


def draw_order(axes: Axes, ranking: pd.DataFrame) -> None:
    """Draw the probability of the wrong order and, for comparison, that of the paper's example."""
    n, p, low, high = (ranking[name] for name in ("n_games", *P_COLUMNS))
    axes.plot(n, p, color=paper.BLACK, linewidth=1.8, label="wrong order: A ahead of B")
    style: dict[str, Any] = {"color": paper.BLACK, "alpha": 0.13, "linewidth": 0}
    axes.fill_between(n, low, high, label="its 95% interval", **style)
    for marked in MARKED:
        height, is_first = float(p[n == marked].iloc[0]), marked == MARKED[0]
        axes.plot(marked, height, "o", color=paper.BLACK, markersize=5)
        style = {"textcoords": "offset points", "va": "center", "fontsize": 9}
        style |= {"xytext": (-6, -7), "ha": "right"} if is_first else {"xytext": (6, 6)}
        axes.annotate(f"{height:.0%}", (marked, height), **style)
    thirds = np.arange(3, MAX_GAMES_A_TRIAL + 1, 3)
    example = binom.cdf(thirds // 3, thirds, P_SUCCESS)
    label = f"the paper's example: 4096 in a third of n games or fewer, p = {P_SUCCESS:g}"
    axes.plot(thirds, example, "o:", color=paper.GREY, markersize=2.5, linewidth=1.2, label=label)
    for level in WRONG_LEVELS:
        axes.axhline(level, color=paper.GREY, linewidth=0.9, linestyle="--", zorder=0.5)
    games_axis(axes, "upper right")
    ticks = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    axes.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_ylim(0, max(0.45, high.max()) + 0.12)
    axes.set(ylabel="probability", title="How often n games rank the two wrongly")


def replicates_figure(tables: dict[str, pd.DataFrame], scores: dict[str, Floats]) -> Figure:
    """Draw the distribution of a trial's mean and the probability of the wrong order."""
    figure, (left, right) = paper.new_figure(12.4, 5.8, ncols=2)
    draw_means(left, tables["replicates"], scores)
    draw_order(right, tables["ranking"])
    return figure


def side_by_side(frame: pd.DataFrame, on: str) -> pd.DataFrame:
    """Return the columns of A and B in one table; the names of B's columns end in ``_b``."""
    first, second = (frame[frame["theta"] == name] for name in (A, B))
    return first.merge(second, on=on, suffixes=("", "_b"))


def replicates(of: paper.Paper) -> None:
    """Play both θ, and write tables, figure and text."""
    games = of.play({name: MonteCarloMDP(*theta) for name, theta in THETAS.items()})
    scores = {name: paper.read_scores(each) for name, each in games.items()}
    tables, deviations = measure(scores)
    difference = paper.interval(estimate_difference(scores[A], scores[B]))
    pairs = pearsonr(scores[A], scores[B])
    correlation = Estimate(pairs.statistic, *pairs.confidence_interval(0.95))
    trials = tables["replicates"].query("n_games in @SHOWN")
    trials = trials.rename(columns={"mean_median_points": "mean_points"})
    of.write(
        "replicates",
        tables,
        {"replicates": replicates_figure(tables, scores)},
        {"thetas": THETAS},
        trials=side_by_side(trials, "n_games").merge(tables["ranking"], on="n_games"),
        errors=side_by_side(tables["standard_errors"], "standard_error_points"),
        example=paper.by(tables["paper"], "{n_games} {what}"),
        means={name: paper.interval(t_interval(each)) for name, each in scores.items()},
        deviations=dict(zip(scores, map(paper.interval, deviations), strict=True)),
        needed=paper.by(tables["order"], "{p_wrong_below:.0%}"),
        difference=difference,
        correlation=paper.interval(correlation),
    )


if __name__ == "__main__":
    paper.script(replicates, "replicates", 1_000)
