"""How many games a trial needs: the example of Ripstein (2023), exactly and with real games.

Two θ of an agent play N games each, of the same seeds. Trials of n games, drawn from them with
replacement, show how much the mean of a trial scatters, and how often the two θ are ranked wrongly.

The standard error of the mean is s/√n; s is the standard deviation of one game's score. If the
better θ's mean score is higher by δ, the probability of the wrong order is near
Φ(−δ·√n / √(s₁² + s₂²)), and below p from n = (z·√(s₁² + s₂²)/δ)² on; z is the normal quantile of
1 − p. Scores are bimodal, so for few games the probability is counted over trials. Its interval is
taken over "worlds": bootstrap samples of N scores in place of the real ones (percentiles).

Sources: Ripstein (2023), §5.1, *Parameter Optimization*; Efron and Tibshirani, *An Introduction to
the Bootstrap* (1993), §13.3, for the intervals.
"""

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import NullLocator
from scipy.stats import binom, norm, pearsonr

from results.papers import paper
from thetafront import InputError
from thetafront.agents.agent import Agent, identity
from thetafront.agents.catalog import AGENTS, build, from_theta, theta_names
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.study.estimate import Estimate, t95, t_interval

Floats = npt.NDArray[np.float64]

AGENT = "mcmdp"
VERSUS = "903,56,38,2,10,0.56"  # of B: a validated trial of the published sweep, rounded
A, B = "A", "B"
P_SUCCESS, SUCCESS, FAILURE = 0.6, 70_000.0, 35_000.0  # §5.1: of 4096; scores with and without
MOST_GAMES_A_TRIAL = 100
STANDARD_ERRORS = (250.0, 500.0, 1_000.0, 2_000.0, 5_000.0)  # points
WRONG_LEVELS = (0.10, 0.05)
N_RESAMPLES = 20_000
N_DEVIATIONS = 2_000
N_WORLDS = 500
N_RESAMPLES_A_WORLD = 2_000
QUANTILES = {"low95": 0.025, "low50": 0.25, "median": 0.5, "high50": 0.75, "high95": 0.975}
ENDS = (QUANTILES["low95"], QUANTILES["high95"])
P_COLUMNS = ["p_wrong", "p_wrong_low95", "p_wrong_high95"]
GAMES = "{n_games:,.0f} ({n_games_low95:,.0f} to {n_games_high95:,.0f})"
SHOWN = (1, 2, 3, 4, 6, 9, 16, 25, 50, 100)
MARKED = (3, 4, 9)  # the paper's, and the usual four


def paper_frame() -> pd.DataFrame:
    """Compare the figures of the paper's example (NaN: not given) with its own model (§5.1)."""
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
    scores: Floats, n_resamples: int, rng: np.random.Generator, n_most: int = MOST_GAMES_A_TRIAL
) -> Floats:
    """Draw trials from scores with replacement, for all numbers of games at once.

    Column n − 1, of shape (n_resamples,), has the sums of the trials' first n games.
    """
    return np.cumsum(drawn(scores, (n_resamples, n_most), rng), axis=1)


def deviation_of(scores: Floats, rng: np.random.Generator) -> Estimate:
    """Estimate one game's standard deviation, with a percentile interval (Efron, §13.3)."""
    deviations = [drawn(scores, len(scores), rng).std(ddof=1) for _ in range(N_DEVIATIONS)]
    low, high = np.quantile(deviations, ENDS)
    return Estimate(float(scores.std(ddof=1)), float(low), float(high))


def means_frame(name: str, n_real: int, sums: Floats, deviation: Estimate) -> pd.DataFrame:
    """Return the distribution of the mean of n games, one row an n, with s/√n."""
    n = np.arange(1, sums.shape[1] + 1)
    quantiles = np.quantile(sums, list(QUANTILES.values()), axis=0) / n
    ends = paper.estimate_columns("standard_error", deviation).items()
    columns = {"theta": name, "n_games": n, "n_real_games": n_real}
    columns |= {f"mean_{key}_points": row for key, row in zip(QUANTILES, quantiles, strict=True)}
    return pd.DataFrame(columns | {column: end / np.sqrt(n) for column, end in ends})


def games_for_error(deviation: float, standard_error: float) -> int:
    """Return the fewest games with a standard error, (s/SE)² rounded up."""
    # 1e-9 keeps quotients that are whole except for rounding.
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
    """Return the share of trials, by n, that rank the worse θ first; ties count half."""
    return np.asarray(0.5 + 0.5 * np.sign(worse - better).mean(axis=0))


def p_wrong_in_worlds(worse: Floats, better: Floats, rng: np.random.Generator) -> Floats:
    """Return the probability of the wrong order, by world and n."""
    probabilities = np.empty((N_WORLDS, MOST_GAMES_A_TRIAL))
    for row in probabilities:
        first, second = (
            resampled_sums(drawn(scores, len(scores), rng), N_RESAMPLES_A_WORLD, rng)
            for scores in (worse, better)
        )
        row[:] = p_wrong_order(first, second)
    return probabilities


def first_below(probabilities: Floats, level: float) -> float:
    """Return the smallest n whose probability is below a level; infinite if there is none."""
    below = np.flatnonzero(probabilities < level)
    return float(below[0] + 1) if len(below) else math.inf


def difference_of(worse: Floats, better: Floats) -> Estimate:
    """Estimate δ from unpaired games of one number."""
    first, second = t_interval(worse), t_interval(better)
    value = second.value - first.value
    half = t95(len(worse)) * math.hypot(first.sem, second.sem)
    return Estimate(value, value - half, value + half)


def order_frame(worse: Floats, better: Floats, p: Floats, worlds: Floats) -> pd.DataFrame:
    """Return the smallest n that makes the wrong order rare enough, with 95% intervals.

    ``p`` and ``worlds`` are its probabilities by n. Infinite: none of these n is enough; NaN: δ's
    interval contains 0.
    """
    difference = difference_of(worse, better)
    gaps = (difference.value, difference.high, difference.low)
    deviation = math.hypot(worse.std(ddof=1), better.std(ddof=1))
    rows = []
    for level in WRONG_LEVELS:
        row = [math.nan] * 6
        if difference.low > 0:
            # "inverted_cdf" returns an n of some world; averaging might involve infinity.
            in_worlds = [first_below(world, level) for world in worlds]
            ends = np.quantile(in_worlds, ENDS, method="inverted_cdf").tolist()
            by_normal = [games_for_error(norm.ppf(1.0 - level) * deviation, gap) for gap in gaps]
            row = [first_below(p, level), *ends, *by_normal]
        rows.append([level, *row])
    names = ["n_games", "n_games_low95", "n_games_high95"]
    columns = ["p_wrong_below", *names, *(f"normal_{name}" for name in names)]
    return pd.DataFrame(rows, columns=columns, dtype=float)


@dataclass(frozen=True)
class Measured:
    """Results for two θ; names are A and B."""

    scores: Mapping[str, Floats]  # of the same seeds
    deviations: Mapping[str, Estimate]  # of one game's score
    tables: Mapping[str, pd.DataFrame]
    worse: str
    better: str
    difference: Estimate  # δ


def measure(scores: Mapping[str, Floats]) -> Measured:
    """Measure two θ; equal games give equal results."""
    rng = np.random.default_rng(0)
    sums = {name: resampled_sums(each, N_RESAMPLES, rng) for name, each in scores.items()}
    deviations = {name: deviation_of(each, rng) for name, each in scores.items()}
    names = (B, A) if scores[A].mean() > scores[B].mean() else (A, B)
    worse, better = (scores[name] for name in names)
    probabilities, n_real = p_wrong_order(*(sums[name] for name in names)), len(worse)
    worlds = p_wrong_in_worlds(worse, better, rng)
    means = [means_frame(name, n_real, sums[name], deviations[name]) for name in scores]
    errors = [errors_frame(name, n_real, deviations[name]) for name in scores]
    by_n = pd.DataFrame({"n_games": np.arange(1, len(probabilities) + 1)})
    by_n[P_COLUMNS] = np.column_stack([probabilities, *np.quantile(worlds, ENDS, axis=0)])
    tables = {
        "paper": paper_frame(),
        "replicates": pd.concat(means),
        "standard_errors": pd.concat(errors),
        "ranking": by_n.assign(n_real_games_worse=n_real, n_real_games_better=n_real),
        "order": order_frame(worse, better, probabilities, worlds),
    }
    return Measured(scores, deviations, tables, *names, difference_of(worse, better))


def with_ends(estimate: Estimate) -> str:
    """Write an estimate with its 95% interval."""
    return f"{estimate.value:,.0f} ({estimate.low:,.0f} to {estimate.high:,.0f})"


def example_table(frame: pd.DataFrame) -> str:
    """Write the paper's example."""
    rows = []
    for row in frame.to_dict("records"):
        values = [row["paper"], row["exact"]]
        cells = ["" if math.isnan(x) else format(x, ",.0f" if x > 1 else ".3f") for x in values]
        rows.append([str(row["n_games"]), row["what"], *cells, row["note"]])
    return paper.markdown_table(["games", "what", "paper", "exact", "the paper's figure"], rows)


def trials_table(replicates: pd.DataFrame, ranking: pd.DataFrame) -> str:
    """Write the distribution of the mean of n games, and the probability of the wrong order."""
    columns = [f"{name}: {what}" for name in (A, B) for what in ("95% of means", "SE (95%)")]
    rows = [[str(n)] for n in SHOWN]
    for n, cells in zip(SHOWN, rows, strict=True):
        for row in replicates[replicates["n_games"] == n].to_dict("records"):
            means = f"{row['mean_low95_points']:,.0f} to {row['mean_high95_points']:,.0f}"
            cells += [means, paper.shown(row, "standard_error", "standard_error")]
        cells.append("{:.1%} ({:.1%} to {:.1%})".format(*ranking.loc[n - 1, P_COLUMNS]))
    return paper.markdown_table(["games", *columns, "wrong order (95%)"], rows)


def markdown(measured: Measured, thetas: Mapping[str, str], agent: str, seeds: range) -> str:
    """Write all tables, with notes."""
    tables, scores, n = measured.tables, measured.scores, f"{len(seeds):,}"
    played, errors, order = [], [], []
    for name, theta in thetas.items():
        found = map(with_ends, (t_interval(scores[name]), measured.deviations[name]))
        played.append([f"{name}: {agent}", theta, n, f"{seeds[0]} to {seeds[-1]}", *found])
    for error, part in tables["standard_errors"].groupby("standard_error_points"):
        errors.append([f"{error:,.0f}", *map(GAMES.format_map, part.to_dict("records"))])
    for row in tables["order"].to_dict("records"):
        cells = [each.format_map(row) for each in (GAMES, GAMES.replace("n_g", "normal_n_g"))]
        order.append([f"below {row['p_wrong_below']:.0%}", *cells])
    pairs = pearsonr(scores[A], scores[B])
    fisher = pairs.confidence_interval(0.95)
    played_columns = ["", "θ", "games", "seeds", "mean (95%)", "one game's deviation (95%)"]
    errors_columns = ["standard error, points", "A: games (95%)", "B: games (95%)"]
    order_columns = ["wrong order", "games, counted (95%)", "games, normal approximation (95%)"]
    example = f"{SUCCESS:,.0f} points with probability {P_SUCCESS:g}, else {FAILURE:,.0f}"
    return f"""# How many games make a trial

## The paper's example (§5.1): {example}

{example_table(tables["paper"])}

## Games

{paper.markdown_table(played_columns, played)}

{measured.better} has the higher mean. The difference is {with_ends(measured.difference)} points.
The two scores of a seed have a correlation of {pairs.statistic:.3f} ({fisher.low:.3f} to
{fisher.high:.3f}), over {n} seeds.

## Trials of n games, in points

{trials_table(tables["replicates"], tables["ranking"])}

{N_RESAMPLES:,} trials, drawn with replacement from {n} real games of each θ. *SE* is
the standard error of the mean. Wrong order: {measured.worse} is ahead; ties count half.

## Games for a standard error of the mean

{paper.markdown_table(errors_columns, errors)}

From the standard deviations of {n} real games of each θ.

## Games to rank the two

{paper.markdown_table(order_columns, order)}

From {n} real games of each θ. The normal approximation uses the interval of the difference. If it
contains 0, the number is not known (nan). Numbers above {MOST_GAMES_A_TRIAL} are not counted (inf).
"""


def games_axis(axes: Axes, where: Literal["lower right", "upper right"]) -> None:
    """Make the x axis one of games a trial, with some numbers marked, and draw the legend."""
    axes.set(xscale="log", xlim=(1, MOST_GAMES_A_TRIAL), xlabel="games a trial, n")
    axes.set_xticks(SHOWN, [str(n) for n in SHOWN])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis="x", visible=False)
    for n in MARKED:
        axes.axvline(n, color=paper.GREY, linestyle=(0, (1, 2)), linewidth=1.0, zorder=0.5)
    axes.legend(loc=where, fontsize=8.5, frameon=True, framealpha=1, edgecolor="white")


def draw_means(axes: Axes, measured: Measured) -> None:
    """Draw the distribution of the mean of n games."""
    replicates = measured.tables["replicates"]
    for name, colour in ((A, paper.BLUE), (B, paper.RED)):
        frame, scores = replicates[replicates["theta"] == name], measured.scores[name]
        n = frame["n_games"]
        for width, alpha in (("95", 0.13), ("50", 0.22)):
            low, high = (frame[f"mean_{end}{width}_points"] for end in ("low", "high"))
            axes.fill_between(n, low, high, color=colour, alpha=alpha, linewidth=0)
        edges = frame[["mean_low95_points", "mean_high95_points"]]
        axes.plot(n, edges, color=colour, linewidth=0.8, alpha=0.6)
        label = f"{name}, mean of all {len(scores):,} games {with_ends(t_interval(scores))}"
        axes.plot(n, frame["mean_median_points"], color=colour, linewidth=1.8, label=label)
    games_axis(axes, "lower right")
    paper.points_axis(axes)
    axes.set_ylim(bottom=0)
    axes.set(ylabel="mean score of the trial, points", title="Mean score of a trial of n games")


def draw_order(axes: Axes, measured: Measured) -> None:
    """Draw the probability of the wrong order, and that of the paper's example."""
    ranking = measured.tables["ranking"]
    n, p, low, high = (ranking[name] for name in ("n_games", *P_COLUMNS))
    label = f"wrong order: {measured.worse} ahead of {measured.better}"
    axes.plot(n, p, color=paper.BLACK, linewidth=1.8, label=label)
    style: dict[str, Any] = {"color": paper.BLACK, "alpha": 0.13, "linewidth": 0}
    axes.fill_between(n, low, high, label="its 95% interval", **style)
    for marked in MARKED:
        height, is_first = float(p[n == marked].iloc[0]), marked == MARKED[0]
        axes.plot(marked, height, "o", color=paper.BLACK, markersize=5)
        style = {"textcoords": "offset points", "va": "center", "fontsize": 9}
        style |= {"xytext": (-6, -7), "ha": "right"} if is_first else {"xytext": (6, 6)}
        axes.annotate(f"{height:.0%}", (marked, height), **style)
    thirds = np.arange(3, MOST_GAMES_A_TRIAL + 1, 3)
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


@mpl.rc_context(paper.STYLE)
def replicates_figure(measured: Measured, thetas: Mapping[str, str], agent: str) -> Figure:
    """Draw the distribution of a trial's mean and the probability of the wrong order."""
    figure = Figure(figsize=(12.4, 5.6), layout=ConstrainedLayoutEngine(wspace=0.06))
    left, right = figure.subplots(1, 2)
    draw_means(left, measured)
    draw_order(right, measured)
    named = "; ".join(f"{name}: {agent}, θ = ({theta})" for name, theta in thetas.items())
    paper.caption(
        figure,
        f"{named}.\nLeft: median (line), middle half (dark) and 95% (light) of {N_RESAMPLES:,} "
        "trials of n games, drawn from the real games with replacement. Right: the same trials in "
        f"order, ties counted half; band: {N_WORLDS} bootstrap samples of the real games. The "
        f"means differ by {with_ends(measured.difference)} points.",
    )
    return figure


def agent_of(name: str, theta: str | None) -> Agent:
    """Build an agent of 2048 with a θ of a command line; None: its own. InputError if not one."""
    allowed = sorted(each for each, kind in AGENTS.items() if issubclass(kind, Agent2048))
    if name not in allowed:
        raise InputError(f"--agent: {name!r} given, one of {', '.join(allowed)} allowed")
    try:
        numbers = [] if theta is None else [float(each) for each in theta.split(",")]
        return build(name, {} if theta is None else from_theta(name, numbers))
    except ValueError as error:
        raise InputError(f"θ {theta!r} of {name}: {error}") from None


def replicates(run: paper.Paper) -> None:
    """Play both θ, and write tables, figure and text."""
    name, theta, versus = run.options.agent, run.options.theta, run.options.versus
    agents = {A: agent_of(name, theta)}
    if versus is None and name != AGENT:
        raise InputError(f"--versus: none given for {name}, a θ allowed")
    agents[B] = agent_of(name, VERSUS if versus is None else versus)
    if agents[A] == agents[B]:
        raise InputError("--versus: the same θ as A's given, another allowed")
    thetas = {
        each: ", ".join(f"{identity(agent)[key]:g}" for key in theta_names(name))
        for each, agent in agents.items()
    }
    played = run.play(agents, run.seeds)
    measured = measure({each: paper.scores_of(games) for each, games in played.items()})
    run.write(
        "replicates",
        markdown(measured, thetas, name, run.seeds),
        measured.tables,
        {"replicates": replicates_figure(measured, thetas, name)},
        agent=name,
        thetas=thetas,
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is this script's own."""
    parser.add_argument("--agent", default=AGENT, help="agent for 2048 that plays")
    parser.add_argument("--theta", help="θ of A, comma-separated; by default, the agent's own")
    parser.add_argument("--versus", help=f"θ of B; by default, for {AGENT}: {VERSUS}")


if __name__ == "__main__":
    paper.script(replicates, "replicates", 1_000, add=add_options)
