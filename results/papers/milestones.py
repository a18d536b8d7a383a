"""Scores with and without the 4096 tile: what Ripstein (2023), §5.1, says of them.

Notation
--------
==========  ========================================================================================
η²          correlation ratio: the share of the variance of one game's score that lies between games
            with a tile and games without it
worth       Σ (e − 1)·2ᵉ over a board's exponents e: its score, if no 4 had been spawned
==========  ========================================================================================

The paper says that games without the 4096 tile score around 36,000 points, "near the 4096 tile";
that with it a score below 60,000 is uncommon; that 80,000 is near the 8192 tile; and that nothing
influences the score more than how often the 4096 tile is reached. A board just before a tile 2ᴱ has
at most the tiles 2ᴱ⁻¹, …, 4, whose worth is (E − 3)·2ᴱ + 4.

Source: Ripstein (2023), §5.1; η² is Pearson's (1905).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from thetafront.agents.twenty48.agent import Game2048
from thetafront.study import estimate as intervals
from thetafront.study.compare.scores import scores_of
from thetafront.study.estimate import Estimate
from thetafront.study.report.sections import Section
from thetafront.study.report.style import BLACK, BLUE, GREY, RED, STYLE, caption

MILESTONE = 4096
NEAR = (33_000, 39_000)  # around 36,000
RARELY_BELOW = 60_000
NEXT = 80_000
TILES = (2048, 4096, 8192)
COLOURS = {"2048 or less": GREY, "4096": BLUE, "8192 or more": RED}
N_RESAMPLES = 2000
BIN = 1000  # points


def worth_before(tile: int) -> int:
    """Return the largest worth of a board whose tiles are all smaller, and all different."""
    exponent = tile.bit_length() - 1
    return (exponent - 3) * tile + 4


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


def milestones_frame(games: Mapping[str, Sequence[Game2048]]) -> pd.DataFrame:
    """Return one row an agent: its scores with and without 4096; ``games`` by the rows' names.

    Medians have distribution-free intervals, shares Wilson's, η² the bootstrap's; all are of 95%.
    """
    rng = np.random.default_rng(0)
    lines = []
    for name, played in games.items():
        scores, tiles = scores_of(played), np.array([game.max_tile for game in played])
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


def share_of(true: npt.NDArray[np.bool_]) -> Estimate:
    """Estimate a share."""
    return intervals.share(int(true.sum()), len(true))


def written(row: Mapping[Any, Any], key: str, form: str) -> str:
    """Write a number with its interval."""
    ends = (format(row[f"{key}_{end}"], form) for end in ("low95", "high95"))
    return f"{format(row[key], form)} ({' to '.join(ends)})"


def milestones_section(frame: pd.DataFrame) -> Section:
    """Return the table."""
    columns = (
        "agent, rule",
        "n without 4096",
        "median",
        f"{NEAR[0]:,} to {NEAR[1]:,}",
        "n with 4096",
        "median",
        f"below {RARELY_BELOW:,}",
        f"{RARELY_BELOW:,} to {NEXT:,}",
        *(f"η² of ≥ {tile}" for tile in TILES),
    )
    rows = [
        (
            row["row"],
            f"{row['n_without']:,}",
            written(row, "without_median_points", ",.0f"),
            written(row, "without_near_share", ".1%"),
            f"{row['n_with']:,}",
            written(row, "with_median_points", ",.0f"),
            written(row, "with_below_60000_share", ".1%"),
            written(row, "with_60000_to_80000_share", ".1%"),
            *(written(row, f"eta2_{tile}", ".2f") for tile in TILES),
        )
        for row in frame.to_dict("records")
    ]
    note = (
        f"A board just before the 4096 tile scores at most {worth_before(4096):,} points, just "
        f"before the 8192 tile {worth_before(8192):,}, less 4 for every spawned 4. With a 4096 "
        f"tile and just before a second 2048 it is {4096 * 11 + worth_before(2048):,}. η²: the "
        "share of the variance of one game's score that lies between games with the tile and games "
        "without it."
    )
    return Section("Scores with and without the 4096 tile (§5.1)", columns, rows, note)


def milestones_answer(frame: pd.DataFrame) -> str:
    """Judge the paper's sentences, by the range over all rows."""

    def span(key: str, form: str) -> str:
        return f"{frame[key].min():{form}} to {frame[key].max():{form}}"

    etas = frame[[f"eta2_{tile}" for tile in TILES]].to_numpy()
    n_first = int((etas.argmax(axis=1) == TILES.index(MILESTONE)).sum())
    return (
        f"Over the {len(frame)} rows, games without a {MILESTONE} tile have a median of "
        f"{span('without_median_points', ',.0f')} points (the paper: around 36,000), and of games "
        f"with one {span('with_below_60000_share', '.1%')} stay below 60,000 points (the paper: "
        f"uncommon). Whether a game reaches {MILESTONE} explains {span('eta2_4096', '.0%')} of the "
        f"variance of its score, more than 2048 or 8192 do in {n_first} of {len(frame)} rows."
    )


@mpl.rc_context(STYLE)
def milestones_figure(games: Mapping[str, Mapping[str, Sequence[Game2048]]]) -> Figure:
    """Draw the scores of single games by their largest tile, a panel for each title."""
    figure = Figure(figsize=(9.2, 5.6), layout="constrained")
    panels = figure.subplots(len(games), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (title, rows) in zip(panels, games.items(), strict=True):
        played = [game for each in rows.values() for game in each]
        scores, tiles = scores_of(played), np.array([game.max_tile for game in played])
        kinds = (tiles < MILESTONE, tiles == MILESTONE, tiles > MILESTONE)
        axes.hist(
            [scores[kind] for kind in kinds],
            bins=np.arange(0, scores.max() + BIN, BIN),
            stacked=True,
            color=list(COLOURS.values()),
            label=list(COLOURS),
        )
        for place in (36_000, RARELY_BELOW, NEXT):
            axes.axvline(place, color=BLACK, linestyle=":", linewidth=1)
        axes.set_xlim(left=0)
        axes.set_title(f"{title}: {len(played):,} games", fontsize=10.5)
        axes.set_ylabel("games")
        axes.grid(visible=False, axis="x")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panels[0].legend(title="largest tile", loc="upper right", fontsize=8.5)
    panels[-1].set_xlabel(f"score of one game, points (bars of {BIN:,})")
    caption(
        figure,
        "The games of the four MDP agents of Table 1, by their largest tile. Dotted: the paper's "
        "36,000 (near 4096), 60,000 and 80,000 (near 8192). The peaks lie where a game dies just "
        "before its next large tile.",
    )
    return figure
