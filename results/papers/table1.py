"""Table 1 and Figure 3 of Ripstein (2023): five agents, 1,000 games each, by two rules of merging.

The paper gives neither intervals nor numbers of games. In its published program, a merged tile may
merge again in the same move (*cascade*, :mod:`engine.twenty48.rule`). Each row is therefore played
by the common rule and by cascade, on the same seeds. The MDP agents take their numbers of playouts
from the program (:data:`agents.twenty48.schedule.AUTHORS_SCHEDULE`). Some rows are played again
with one of the program's two *slips* (errors, see :mod:`agents.twenty48.published_program`), to
measure the effect of the slip.

The same games test what §5.1 says about the 4096 tile:

- Games without it score around 36,000 points, "near the 4096 tile".
- Games with it rarely score below 60,000.
- A score of 80,000 is near the 8192 tile.
- Nothing influences the score more than how often the 4096 tile is reached. We measure the
  influence of a tile by the correlation ratio η² (Pearson 1905): the share of the variance of one
  game's score that is explained by whether the game reaches the tile.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from results.papers import paper
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.mcmdp import Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.published_program import FoursExploredAsTwos, OneSpawnADirection
from thetafront.engine.twenty48 import Rule
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

MILESTONE = 4096
NEAR = (33_000, 39_000)  # around 36,000
RARELY_BELOW = 60_000
NEXT = 80_000
TILES = (2048, 4096, 8192)
COLOURS = {"2048 or less": paper.GREY, "4096": paper.BLUE, "8192 or more": paper.RED}
N_RESAMPLES = 2000
BIN = 1000  # points
BELOW_4096 = 36_868  # score of a board with one of each tile below 4096, if no 4 was spawned
N_PLAYOUTS = 100
PURE, REFERENCE, LEAST = "Pure MCTS", "MDP (top 100%)", "MDP (top 25%)"
PAPER = pd.DataFrame(
    {
        PURE: (np.nan, 31_011, 0.77, 0.10, 0.00),
        REFERENCE: (1.0, 53_232, 0.97, 0.58, 0.00),
        "MDP (top 75%)": (0.75, 53_565, 0.94, 0.58, 0.01),
        "MDP (top 50%)": (0.5, 53_282, 0.94, 0.57, 0.02),
        LEAST: (0.25, 55_966, 0.93, 0.58, 0.05),
    },
    index=["top_share", "score", *TILES],
).T
"""The paper's Table 1: share of playouts kept, average score, shares of games that reach tiles."""
ROUNDED_SHARE = 0.005  # the paper's shares are whole percents


@dataclass(frozen=True)
class Row:
    """A row of the table, and its agent, which may have a slip of the paper's program."""

    model: str  # name of the row in the paper's table
    rule: Rule
    slip: str  # empty for none
    agent: Agent

    @property
    def name(self) -> str:
        """The name of the row, shown in the progress display and used as a key."""
        return ", ".join(filter(None, (self.model, self.rule.value, self.slip)))


def table1_rows() -> list[Row]:
    """Return the paper's rows by both rules, then the rows with the program's slips."""
    mdp = PAPER["top_share"].dropna()
    found = []
    for rule in Rule:
        cascade = rule is Rule.CASCADE
        found.append(Row(PURE, rule, "", PureMonteCarlo(N_PLAYOUTS, cascade)))
        found += [Row(str(m), rule, "", Table1(top, cascade=cascade)) for m, top in mdp.items()]
    one_spawn = OneSpawnADirection(N_PLAYOUTS, cascade=True)
    found.append(Row(PURE, Rule.CASCADE, "one spawn a direction", one_spawn))
    for model in (REFERENCE, LEAST):
        twos = FoursExploredAsTwos(mdp[model], cascade=True)
        found.append(Row(model, Rule.CASCADE, "2s explored for 4s", twos))
    return found


ROWS = table1_rows()


def beyond(estimate: Estimate, other: float, rounding: float = 0.0) -> float:
    """Return how far ``other`` is above an interval: 0 inside, negative below.

    ``other`` is known to ± ``rounding``. Of its possible values, the one nearest to the interval is
    taken.
    """
    above = max(other - rounding - estimate.high, 0.0)
    return above + min(other + rounding - estimate.low, 0.0)


def table1_frame(games: paper.Games) -> pd.DataFrame:
    """Return the table with our figures and the paper's; the keys of ``games`` are row names.

    All rows have the same seeds in the same order; some rows have only the first of these seeds.
    Intervals are 95% intervals: bootstrap intervals of means, and Wilson's intervals of shares.
    ``*_inside`` tells whether our interval contains the paper's figure or, for a share, any number
    that rounds to this figure. ``*_beyond`` is the distance of the paper's figure from the
    nearer end of our interval: 0 inside the interval, negative below it. ``difference`` is the
    difference from the row "MDP (top 100%)" of the same rule, and ``slip_effect`` is the difference
    from the same row without the slip. Both differences are paired by seed.
    """
    references = {row.rule: row.name for row in ROWS if row.model == REFERENCE and not row.slip}
    lines = []
    for row in ROWS:
        mine, reported = games[row.name], PAPER.loc[row.model].to_dict()
        n, mean = len(mine), intervals.mean(paper.read_scores(mine))
        line: dict[str, Any] = {"model": row.model, "rule": row.rule.value, "slip": row.slip}
        line |= {"n_games": n, "score_mean_points": mean.value, "score_sem_points": mean.sem}
        line |= paper.mean_columns(mean)
        line |= {
            "paper_score_points": int(reported["score"]),
            "score_inside": mean.contains(reported["score"]),
            "score_beyond_points": beyond(mean, reported["score"]),
        }
        others = {"difference": references[row.rule], "slip_effect": replace(row, slip="").name}
        line |= paper.less(games, row.name, **others)
        for tile in TILES:
            share = intervals.share(int((mine["max_tile"] >= tile).sum()), n)
            gap = beyond(share, reported[tile], ROUNDED_SHARE)
            line |= {
                f"share_reaching_{tile}": share.value,
                f"share_low95_{tile}": share.low,
                f"share_high95_{tile}": share.high,
                f"paper_share_{tile}": reported[tile],
                f"share_inside_{tile}": gap == 0.0,
                f"share_beyond_{tile}": gap,
            }
        lines.append(line | paper.mean_costs(mine))
    return pd.DataFrame(lines)


def table1_figure(games: paper.Games, frame: pd.DataFrame) -> Figure:
    """Draw Figure 3: each model's scores, by the common rule (left) and by cascade (right)."""
    figure, axes = paper.new_figure(9.2, 5.6)
    places = np.arange(len(PAPER))
    sides: tuple[tuple[Rule, Literal["low", "high"], str, float], ...] = (
        (Rule.COMMON, "low", paper.BLUE, -0.09),
        (Rule.CASCADE, "high", paper.RED, 0.09),
    )
    for rule, side, colour, offset in sides:
        rows = [row for row in ROWS if row.rule is rule and not row.slip]
        scores = [paper.read_scores(games[row.name]) for row in rows]
        shape: dict[str, Any] = {"widths": 0.86, "points": 400, "bw_method": 0.12}
        parts = axes.violinplot(scores, places, side=side, showextrema=False, **shape)
        for body in parts["bodies"]:
            body.set(facecolor=colour, edgecolor="none", alpha=0.55)
        part = frame[(frame["rule"] == rule.value) & (frame["slip"] == "")]
        # The marker is small, because a large one would hide most of the interval.
        bars = {"fmt": "o", "markersize": 2.2, "zorder": 4, "elinewidth": 1.4, "capsize": 4}
        label = f"mean, 95% interval: {rule.value} rule"
        paper.score_bars(axes, places + offset, part, color=colour, label=label, **bars)
    line: dict[str, Any] = {"color": paper.BLACK, "linewidth": 1.5, "linestyle": (0, (4, 2))}
    label = "the paper's average"
    axes.hlines(PAPER["score"], places - 0.4, places + 0.4, label=label, zorder=5, **line)
    paper.places_axis(axes, [*map(str, PAPER.index)])
    axes.set_ylabel("score of one game, points")
    paper.points_axis(axes)
    axes.legend(loc="upper left")
    return figure


def correlation_ratio(
    scores: npt.NDArray[np.float64], reached: npt.NDArray[np.bool_], rng: np.random.Generator
) -> Estimate:
    """Estimate η² for a tile that some games reached, with a 95% percentile bootstrap interval."""

    def ratio(values: npt.NDArray[np.float64], groups: npt.NDArray[np.bool_]) -> float:
        within = sum(values[part].var() * part.mean() for part in (groups, ~groups) if part.any())
        spread = values.var()
        return float(1.0 - within / spread) if spread else np.nan

    draws = rng.integers(len(scores), size=(N_RESAMPLES, len(scores)))
    low, high = np.nanquantile([ratio(scores[i], reached[i]) for i in draws], (0.025, 0.975))
    return Estimate(ratio(scores, reached), float(low), float(high))


def estimate_share(true: npt.NDArray[np.bool_]) -> Estimate:
    """Estimate a share, with Wilson's interval."""
    return intervals.share(int(true.sum()), len(true))


def milestones_frame(games: paper.Games) -> pd.DataFrame:
    """Return one row per agent and rule: scores with and without a 4096 tile, η² of each tile.

    The 95% intervals are distribution-free for medians, Wilson's for shares, and bootstrap
    intervals for η².
    """
    rng = np.random.default_rng(0)
    lines = []
    for name, played in games.items():
        scores, tiles = paper.read_scores(played), played["max_tile"].to_numpy()
        below, above = scores[tiles < MILESTONE], scores[tiles >= MILESTONE]
        found = {
            "without_median_points": intervals.median(below),
            "without_near_share": estimate_share((below >= NEAR[0]) & (below < NEAR[1])),
            "with_median_points": intervals.median(above),
            "with_below_60000_share": estimate_share(above < RARELY_BELOW),
            "with_60000_to_80000_share": estimate_share((above >= RARELY_BELOW) & (above < NEXT)),
            **{f"eta2_{tile}": correlation_ratio(scores, tiles >= tile, rng) for tile in TILES},
        }
        line: dict[str, Any] = {"row": name, "n_games": len(played)}
        line |= {"n_without": len(below), "n_with": len(above)}
        for key, estimate in found.items():
            line |= paper.interval_row(key, estimate)
        lines.append(line)
    return pd.DataFrame(lines)


def numbers(frame: pd.DataFrame, games: paper.Games) -> dict[str, Any]:
    """Return the numbers of the text: ranges over the rows, and scores without a 4096 tile."""
    scores = [
        paper.read_scores(played[played["max_tile"] < MILESTONE]) for played in games.values()
    ]
    without = np.concatenate(scores)
    ranges = frame.drop(columns="row").agg(["min", "max"])
    n_above, most = (without > BELOW_4096).sum(), max(without, default=0)
    return {"over_rows": ranges, "n_4096": len(without), "n_above": n_above, "most": most}


def milestones_figure(games: paper.Games) -> Figure:
    """Draw histograms of the MDP agents' scores by largest tile, with one panel per rule."""
    figure, panels = paper.new_figure(9.2, 5.8, nrows=2, sharex=True)
    for axes, rule in zip(panels, ("common", "cascade"), strict=True):
        names = [each for each in games if each.startswith("MDP") and each.endswith(rule)]
        played = pd.concat(games[each] for each in names)
        scores, tiles = paper.read_scores(played), played["max_tile"].to_numpy()
        kinds = (tiles < MILESTONE, tiles == MILESTONE, tiles > MILESTONE)
        axes.hist(
            [scores[kind] for kind in kinds],
            bins=np.arange(0, scores.max() + BIN, BIN),
            stacked=True,
            color=list(COLOURS.values()),
            label=list(COLOURS),
        )
        for place in (36_000, RARELY_BELOW, NEXT):
            axes.axvline(place, color=paper.BLACK, linestyle=":", linewidth=1)
        axes.set_xlim(left=0)
        axes.set(title=f"{rule.capitalize()} rule: {len(played):,} games", ylabel="games")
        axes.grid(visible=False, axis="x")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panels[0].legend(title="largest tile", loc="upper right")
    panels[-1].set_xlabel(f"score of one game, points (bars of {BIN:,})")
    return figure


def table1(of: paper.Paper) -> None:
    """Play the missing games and write the results; rows with slips have a quarter of the games."""
    games = of.play({row.name: row.agent for row in ROWS if not row.slip})
    few = of.seeds[: max(2, of.n_games // 4)]
    played = games | of.play({row.name: row.agent for row in ROWS if row.slip}, few)
    frame, tiles = table1_frame(played), milestones_frame(games)
    figures = {
        "table1": table1_figure(played, frame),
        "milestones": milestones_figure(games),
    }
    shown = frame.rename(columns=lambda name: name.replace("share_reaching_", "share_"))
    plain = shown[shown["slip"] == ""]
    values: dict[str, Any] = {
        "slips": shown[shown["slip"] != ""],
        "mdp": plain[plain["model"] != PURE].groupby("rule")["score_mean_points"].agg(list),
        "at": paper.by(shown, "{model}, {rule}, {slip}"),
        **{rule.value: plain[plain["rule"] == rule.value] for rule in Rule},
    }
    tables = {"table1": frame, "milestones": tiles}
    of.write("table1", tables, figures, **values, **numbers(tiles, games))


if __name__ == "__main__":
    paper.script(table1, "table1", 1000)
