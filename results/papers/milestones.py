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

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
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

COLUMNS = {
    "n without 4096": ("n_without", ",d"),
    "median": ("without_median_points", ",.0f"),
    "33,000 to 39,000": ("without_near_share", ".1%"),
    "n with 4096": ("n_with", ",d"),
    "median ": ("with_median_points", ",.0f"),
    "below 60,000": ("with_below_60000_share", ".1%"),
    "60,000 to 80,000": ("with_60000_to_80000_share", ".1%"),
    **{f"η² of ≥ {tile}": (f"eta2_{tile}", ".2f") for tile in TILES},
}
ANSWER = """\
Over the {n_rows} rows, games without a 4096 tile have a median of {low_median:,.0f} to
{high_median:,.0f} points (the paper: around 36,000), and of games with one, {low_share:.1%} to
{high_share:.1%} stay below 60,000 points (the paper: uncommon). Whether a game reaches 4096
explains {low_eta:.0%} to {high_eta:.0%} of the variance of its score. In {n_first} of {n_rows} rows
that is more than 2048 or 8192 explain."""
NOTE = """\
A board with one of each tile below 4096 is worth {below_4096:,} points, less 4 for every spawned 4.
That is no upper limit: a board may hold equal tiles that do not touch. {n_above} of the
{n_without:,} games that end without a 4096 tile score more, up to {most:,}. One of each tile below
8192 is worth {below_8192:,}; a 4096 tile with one of each tile below 2048, {with_4096:,}. η²: the
share of the variance of one game's score that lies between games with the tile and games without
it."""


def worth_below(tile: int) -> int:
    """Return the worth of a board with one of each tile below a tile 2ᴱ: (E − 3)·2ᴱ + 4."""
    return (tile.bit_length() - 4) * tile + 4


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


def milestones_frame(games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
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
            line |= {key: estimate.value, f"{key}_low95": estimate.low}
            line |= {f"{key}_high95": estimate.high}
        lines.append(line)
    return pd.DataFrame(lines)


def answer(frame: pd.DataFrame) -> str:
    """Return what all rows say of the paper's sentences."""
    etas = frame[[f"eta2_{tile}" for tile in TILES]].to_numpy()
    medians, shares = frame["without_median_points"], frame["with_below_60000_share"]
    return ANSWER.format(
        n_rows=len(frame),
        low_median=medians.min(),
        high_median=medians.max(),
        low_share=shares.min(),
        high_share=shares.max(),
        low_eta=frame["eta2_4096"].min(),
        high_eta=frame["eta2_4096"].max(),
        n_first=(etas.argmax(axis=1) == TILES.index(MILESTONE)).sum(),
    )


def section(frame: pd.DataFrame, games: Mapping[str, pd.DataFrame]) -> str:
    """Write the table, and a note on what boards are worth."""

    def cell(row: Mapping[Any, Any], key: str, form: str) -> str:
        if key.startswith("n_"):
            return format(row[key], form)
        number, low, high = (format(row[key + end], form) for end in ("", "_low95", "_high95"))
        return f"{number} ({low} to {high})"

    rows = [
        [row["row"], *(cell(row, *column) for column in COLUMNS.values())]
        for row in frame.to_dict("records")
    ]
    played = pd.concat(games.values())
    without = paper.scores_of(played[played["max_tile"] < MILESTONE])
    note = NOTE.format(
        below_4096=worth_below(4096),
        below_8192=worth_below(8192),
        with_4096=4096 * 11 + worth_below(2048),
        n_above=(without > worth_below(4096)).sum(),
        n_without=len(without),
        most=int(without.max()) if len(without) else 0,
    )
    table = paper.markdown_table(["agent, rule", *map(str.strip, COLUMNS)], rows)
    return f"## Scores with and without the 4096 tile (§5.1)\n\n{table}\n\n{note}"


@mpl.rc_context(paper.STYLE)
def milestones_figure(games: Mapping[str, Mapping[str, pd.DataFrame]]) -> Figure:
    """Draw the scores of single games by their largest tile, a panel for each title."""
    figure = Figure(figsize=(9.2, 5.6), layout="constrained")
    panels = figure.subplots(len(games), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (title, rows) in zip(panels, games.items(), strict=True):
        played = pd.concat(rows.values())
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
        axes.set_title(f"{title}: {len(played):,} games", fontsize=10.5)
        axes.set_ylabel("games")
        axes.grid(visible=False, axis="x")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panels[0].legend(title="largest tile", loc="upper right", fontsize=8.5)
    panels[-1].set_xlabel(f"score of one game, points (bars of {BIN:,})")
    paper.caption(
        figure,
        "The games of the four MDP agents of Table 1, by their largest tile. Dotted: the paper's "
        "36,000 (near 4096), 60,000 and 80,000 (near 8192). The peaks lie where a game dies just "
        "before its next large tile.",
    )
    return figure
