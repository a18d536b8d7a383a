"""Scores with and without the 4096 tile: what Ripstein (2023), §5.1, says of them.

Notation
--------
==========  ========================================================================================
η²          correlation ratio: the share of the variance of one game's score that lies between games
            with a tile and games without it (Pearson 1905)
worth       Σ (e − 1)·2ᵉ over a board's exponents e: its score, if no 4 had been spawned
==========  ========================================================================================

The paper says that games without the 4096 tile score around 36,000 points, "near the 4096 tile";
that with it a score below 60,000 is uncommon; that 80,000 is near the 8192 tile; and that nothing
influences the score more than how often the 4096 tile is reached.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from results.papers import paper
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
BELOW_4096 = 36_868  # worth of a board with one of each tile below


def correlation_ratio(
    scores: npt.NDArray[np.float64], reached: npt.NDArray[np.bool_], rng: np.random.Generator
) -> Estimate:
    """Estimate η² of one game's score, with a percentile bootstrap interval of 95%."""

    def ratio(values: npt.NDArray[np.float64], groups: npt.NDArray[np.bool_]) -> float:
        within = sum(values[part].var() * part.mean() for part in (groups, ~groups) if part.any())
        spread = values.var()
        return float(1.0 - within / spread) if spread else np.nan

    draws = rng.integers(len(scores), size=(N_RESAMPLES, len(scores)))
    low, high = np.nanquantile([ratio(scores[i], reached[i]) for i in draws], (0.025, 0.975))
    return Estimate(ratio(scores, reached), float(low), float(high))


def share_of(true: npt.NDArray[np.bool_]) -> Estimate:
    """Estimate a share, with Wilson's interval."""
    return intervals.share(int(true.sum()), len(true))


def milestones_frame(games: paper.Games) -> pd.DataFrame:
    """Return one row an agent: its scores with and without 4096; ``games`` by the rows' names.

    Medians have distribution-free intervals, shares Wilson's, η² the bootstrap's; all are of 95%.
    """
    rng = np.random.default_rng(0)
    lines = []
    for name, played in games.items():
        scores, tiles = paper.scores_of(played), played["max_tile"].to_numpy()
        below, above = scores[tiles < MILESTONE], scores[tiles >= MILESTONE]
        found = {
            "without_median_points": intervals.median(below),
            "without_near_share": share_of((below >= NEAR[0]) & (below < NEAR[1])),
            "with_median_points": intervals.median(above),
            "with_below_60000_share": share_of(above < RARELY_BELOW),
            "with_60000_to_80000_share": share_of((above >= RARELY_BELOW) & (above < NEXT)),
            **{f"eta2_{tile}": correlation_ratio(scores, tiles >= tile, rng) for tile in TILES},
        }
        line: dict[str, Any] = {"row": name, "n_games": len(played)}
        line |= {"n_without": len(below), "n_with": len(above)}
        for key, estimate in found.items():
            line |= paper.columns_of(key, estimate)
        lines.append(line)
    return pd.DataFrame(lines)


def numbers(frame: pd.DataFrame, games: paper.Games) -> dict[str, Any]:
    """Return the numbers of the text: ranges over the rows, and scores without a 4096 tile."""
    scores = [paper.scores_of(played[played["max_tile"] < MILESTONE]) for played in games.values()]
    without = np.concatenate(scores)
    ranges = frame.drop(columns="row").agg(["min", "max"])
    n_above, most = (without > BELOW_4096).sum(), max(without, default=0)
    return {"over_rows": ranges, "n_4096": len(without), "n_above": n_above, "most": most}


def milestones_figure(games: paper.Games) -> Figure:
    """Draw the scores of single games of MDP agents by largest tile, a panel for each rule."""
    figure, panels = paper.new_figure(9.2, 5.8, nrows=2, sharex=True)
    for axes, rule in zip(panels, ("common", "cascade"), strict=True):
        names = [each for each in games if each.startswith("MDP") and each.endswith(rule)]
        played = pd.concat(games[each] for each in names)
        scores, tiles = paper.scores_of(played), played["max_tile"].to_numpy()
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
