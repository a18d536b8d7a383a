"""Table 1 and Figure 3 of Ripstein (2023): five agents, 1,000 games each, by two rules of merging.

The paper gives neither intervals nor numbers of games. Its published program merges in cascade
(:mod:`engine.twenty48.rule`), and its MDP agents follow an explicit schedule
(:data:`agents.twenty48.schedule.AUTHORS_SCHEDULE`). So each row is played by the common rule and by
the cascade, on the same seeds, and again with the program's two slips
(:mod:`agents.twenty48.published_program`), to measure their effect. The same games answer what
§5.1 says of scores with and without the 4096 tile (:mod:`results.papers.milestones`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.papers import paper
from results.papers.milestones import (
    milestones_answer,
    milestones_figure,
    milestones_frame,
    milestones_section,
)
from results.papers.reproduction import Reproduction, Results, opened, settings_of
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.mcmdp import Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.published_program import FoursExploredAsTwos, OneSpawnADirection
from thetafront.engine.twenty48 import Rule
from thetafront.study import estimate as intervals
from thetafront.study.compare.scores import (
    estimate_columns,
    mean_columns,
    score_bars,
    scores_of,
    shown,
)
from thetafront.study.experiments.objectives import PLAYOUT_MOVES, SECONDS
from thetafront.study.report.sections import Section, document
from thetafront.study.report.style import BLACK, BLUE, RED, STYLE, caption, new_figure, points_axis

TILES = (2048, 4096, 8192)
N_PLAYOUTS = 100
TOP_SHARES = (1.0, 0.75, 0.5, 0.25)


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's Table 1."""

    shares: tuple[float, float, float]  # of games that reach 2048, 4096 and 8192
    score: int  # average, in points


PURE = "Pure MCTS"
REFERENCE = "MDP (top 100%)"
PAPER = {
    PURE: PaperRow((0.77, 0.10, 0.00), 31_011),
    REFERENCE: PaperRow((0.97, 0.58, 0.00), 53_232),
    "MDP (top 75%)": PaperRow((0.94, 0.58, 0.01), 53_565),
    "MDP (top 50%)": PaperRow((0.94, 0.57, 0.02), 53_282),
    "MDP (top 25%)": PaperRow((0.93, 0.58, 0.05), 55_966),
}
ROUNDED_SHARE = 0.005  # the paper has whole percents


@dataclass(frozen=True)
class Row:
    """A row that is played; its agent may have a slip of the paper's program."""

    model: str  # its row in the paper
    rule: Rule
    slip: str  # empty for none
    agent: Agent

    @property
    def name(self) -> str:
        """The row's name, in progress and as a key."""
        return ", ".join(filter(None, (self.model, self.rule.value, self.slip)))


def table1_rows() -> list[Row]:
    """Return the paper's rows by both rules, then those with the program's slips."""
    mdp = dict(zip(list(PAPER)[1:], TOP_SHARES, strict=True))
    found = []
    for rule in Rule:
        cascade = rule is Rule.CASCADE
        found.append(Row(PURE, rule, "", PureMonteCarlo(N_PLAYOUTS, cascade)))
        for model, top_share in mdp.items():
            found.append(Row(model, rule, "", Table1(top_share, cascade=cascade)))
    rule = Rule.CASCADE
    one_spawn = OneSpawnADirection(N_PLAYOUTS, cascade=True)
    found.append(Row(PURE, rule, "one spawn a direction", one_spawn))
    for model, top_share in mdp.items():
        if top_share in {1.0, 0.25}:
            twos = FoursExploredAsTwos(top_share, cascade=True)
            found.append(Row(model, rule, "2s explored for 4s", twos))
    return found


ROWS = table1_rows()


def seeds_for_slips(seeds: Sequence[int]) -> Sequence[int]:
    """Return the seeds of rows with slips: a quarter, enough to see whether a slip matters."""
    return seeds[: max(2, len(seeds) // 4)]


def table1_frame(games: Mapping[str, Sequence[Game2048]]) -> pd.DataFrame:
    """Return the table, our figures beside the paper's; ``games`` by :attr:`Row.name`.

    All rows have the same seeds in the same order, or the first of them. Intervals are of 95%
    (bootstrap, Wilson). ``*_inside``: whether the paper's figure (of a share, one that rounds to
    it) lies in our interval; ``*_beyond``: how far beyond the nearer end it lies, negative below.
    ``difference`` is from the first MDP row of the same rule, ``slip_effect`` from the row without
    the slip, both paired by seed.
    """
    references = {row.rule: row.name for row in ROWS if row.model == REFERENCE and not row.slip}
    lines = []
    for row in ROWS:
        mine = games[row.name]
        scores = scores_of(mine)
        others = {"difference": references[row.rule], "slip_effect": replace(row, slip="").name}
        mean = intervals.mean(scores)
        paper = PAPER[row.model]
        line: dict[str, object] = {
            "model": row.model,
            "rule": row.rule.value,
            "slip": row.slip,
            "n_games": len(mine),
            **mean_columns(mean, mean.sem),
            "paper_score_points": paper.score,
            "score_inside": mean.contains(paper.score),
            "score_beyond_points": beyond(mean, paper.score),
        }
        for key, other in others.items():
            difference = intervals.difference(scores, scores_of(games[other][: len(mine)]))
            line |= estimate_columns(key, difference)
        for tile, reported in zip(TILES, paper.shares, strict=True):
            share = intervals.share(sum(game.max_tile >= tile for game in mine), len(mine))
            gap = beyond(share, reported, ROUNDED_SHARE)
            line |= {
                f"share_reaching_{tile}": share.value,
                f"share_low95_{tile}": share.low,
                f"share_high95_{tile}": share.high,
                f"paper_share_{tile}": reported,
                f"share_inside_{tile}": gap == 0.0,
                f"share_beyond_{tile}": gap,
            }
        line["seconds_per_move"] = SECONDS.of(mine)
        line["playout_moves_per_move"] = PLAYOUT_MOVES.of(mine)
        lines.append(line)
    return pd.DataFrame(lines)


def beyond(estimate: intervals.Estimate, other: float, rounding: float = 0.0) -> float:
    """Return how far a number, known to ± ``rounding``, lies above (or below, −) an interval."""
    above = max(other - rounding - estimate.high, 0.0)
    return above + min(other + rounding - estimate.low, 0.0)


def verdict(row: Any) -> str:
    """Say where the paper's figures lie relative to our intervals."""
    score, gap = "score inside", float(row["score_beyond_points"])
    if not row["score_inside"]:
        score = f"score {abs(gap):,.0f} {side(gap)}"
    shares = [
        f"{tile} {abs(row[f'share_beyond_{tile}']):.1%} {side(row[f'share_beyond_{tile}'])}"
        for tile in TILES
        if not row[f"share_inside_{tile}"]
    ]
    return "; ".join([score, *shares]) if shares or not row["score_inside"] else "all inside"


def side(gap: float) -> str:
    """Return ``above`` or ``below``."""
    return "above" if gap > 0 else "below"


def answer(frame: pd.DataFrame) -> str:
    """Say to which rule the paper's averages of the MDP rows correspond."""
    mdp = frame[(frame["slip"] == "") & (frame["model"] != PURE)]
    n = int(mdp["n_games"].max())
    said, gaps = {}, {}
    for rule, part in mdp.groupby("rule"):
        gaps[rule] = float(part["score_beyond_points"].abs().max())
        means, n_inside = part["score_mean_points"], int(part["score_inside"].sum())
        said[rule] = (
            f"{means.min():,.0f} to {means.max():,.0f} ({n_inside or 'none'} of the paper's "
            f"{len(part)} averages inside our intervals, the furthest {gaps[rule]:,.0f} points "
            "beyond)"
        )
    cascade = min(gaps, key=lambda rule: gaps[rule]) == Rule.CASCADE.value
    game = "a game in which a merged tile may merge again" if cascade else "the common game"
    scores = mdp["paper_score_points"]
    return (
        f"The paper's {scores.min():,} to {scores.max():,} points for the MDP agents are nearest "
        f"to scores of {game}. Over {n:,} games a row ours are {said['common']} by the common "
        f"rule, and {said['cascade']} by the cascade."
    )


def slips_answer(frame: pd.DataFrame) -> str:
    """Say what the slips do, one phrase a row."""
    phrases = []
    for _, row in frame[frame["slip"] != ""].iterrows():
        low, high = row["slip_effect_low95_points"], row["slip_effect_high95_points"]
        effect = (
            "costs points" if high < 0 else "gains points" if low > 0 else "has no clear effect"
        )
        difference = shown(row, "slip_effect", "slip_effect", "+")[:-1]
        phrases.append(
            f"{row['slip']}, {row['model']}, {effect}, {difference}, n = {row['n_games']:,} pairs)"
        )
    compared = "compared with the same agents without them on the same seeds"
    return f"The program's slips, {compared}: {'; '.join(phrases)}."


def table_section(title: str, part: pd.DataFrame, other: str, key: str) -> Section:
    """Lay some rows out, with their differences from ``other``."""
    shares = [heading for tile in TILES for heading in (f"≥ {tile}", "paper")]
    columns = ("model", "n", "mean score", "paper", *shares, "the paper's figures")
    rows = []
    for row in part.to_dict("records"):
        is_reference = row["model"] == REFERENCE and not row["slip"]
        cells = [
            row["model"] + (f", {row['slip']}" if row["slip"] else ""),
            f"{row['n_games']:,}",
            shown(row, "score_mean", "score"),
            f"{row['paper_score_points']:,}",
        ]
        for tile in TILES:
            share, low, high = (
                row[f"share_{each}_{tile}"] for each in ("reaching", "low95", "high95")
            )
            cells += [f"{share:.1%} ({low:.1%} to {high:.1%})", f"{row[f'paper_share_{tile}']:.0%}"]
        cells += [verdict(row), "-" if is_reference else shown(row, key, key, "+")]
        rows.append(cells)
    align = "l" + "r" * (3 + len(shares)) + "lr"
    return Section(title, (*columns, f"less {other}, same seeds"), rows, align=align)


def table1_markdown(frame: pd.DataFrame, milestones: pd.DataFrame, seeds: Sequence[int]) -> str:
    """Write answers and tables as Markdown; ``milestones`` of the rows without a slip."""
    common, slipped = frame["rule"] == Rule.COMMON.value, frame["slip"] != ""
    slips = "Cascade, and the program's slips"
    return document(
        f"Table 1 of Ripstein (2023), played again: {int(frame['n_games'].max()):,} games a row",
        f"Seeds {seeds[0]} to {seeds[-1]}, the same for all rows. In parentheses: 95% intervals, "
        "of a mean by bootstrap, of a share by Wilson's score. *Paper* is the paper's figure, "
        "which has no interval and no number of games. *The paper's figures* says where these "
        "lie: inside our interval, or how far beyond its nearer end; the paper's shares are "
        "rounded to whole percents.",
        answer(frame),
        slips_answer(frame),
        milestones_answer(milestones),
        table_section("Common rules", frame[common], "top 100%", "difference"),
        table_section("Merging in cascade", frame[~common & ~slipped], "top 100%", "difference"),
        table_section(slips, frame[slipped], "without the slip", "slip_effect"),
        milestones_section(milestones),
    )


@mpl.rc_context(STYLE)
def table1_figure(games: Mapping[str, Sequence[Game2048]], frame: pd.DataFrame) -> Figure:
    """Draw Figure 3: each model's distribution of scores, common rule left, cascade right."""
    figure, axes = new_figure(9.2, 5.6)
    models = list(PAPER)
    sides: dict[Rule, tuple[Literal["low", "high"], str, float]] = {
        Rule.COMMON: ("low", BLUE, -0.09),
        Rule.CASCADE: ("high", RED, 0.09),
    }
    # A small marker: intervals are hardly longer than a large one.
    bars = {"fmt": "o", "markersize": 2.2, "zorder": 4, "elinewidth": 1.4, "capsize": 4}
    for row in (each for each in ROWS if not each.slip):
        side, colour, offset = sides[row.rule]
        position = models.index(row.model)
        shape: dict[str, Any] = {"widths": 0.86, "points": 400, "bw_method": 0.12}
        scores = scores_of(games[row.name])
        parts = axes.violinplot(scores, [position], side=side, showextrema=False, **shape)
        bodies: Any = parts["bodies"]
        for body in bodies:
            body.set(facecolor=colour, edgecolor="none", alpha=0.55)
        is_row = (frame["model"] == row.model) & (frame["rule"] == row.rule.value)
        part = frame[is_row & (frame["slip"] == "")]
        label = f"mean, 95% interval: {row.rule.value} rule" if position == 0 else None
        score_bars(axes, [position + offset], part, color=colour, label=label, **bars)
    places, averages = np.arange(len(models)), [PAPER[model].score for model in models]
    line: dict[str, Any] = {"color": BLACK, "linewidth": 1.5, "linestyle": (0, (4, 2))}
    label = "the paper's average"
    axes.hlines(averages, places - 0.4, places + 0.4, label=label, zorder=5, **line)
    axes.set_xticks(range(len(models)), models)
    axes.grid(visible=False, axis="x")
    points_axis(axes)
    axes.set_ylabel("score of one game, points")
    axes.set_ylim(bottom=0)
    axes.set_title("Figure 3 of Ripstein (2023), played again by two rules of merging")
    axes.legend(loc="upper left", fontsize=8.5)
    caption(
        figure,
        f"{int(frame['n_games'].max()):,} games a half violin, the same seeds for all. An area is "
        "the distribution of single games' scores (a kernel density, scaled to the room). Left "
        "halves: the common rule; right halves: the cascade, where a merged tile may merge again. "
        "The paper gives no number of games.",
    )
    return figure


def reproduce_table1(
    run: Reproduction[Game2048], seeds: Sequence[int], settings: Mapping[str, Any]
) -> str:
    """Play what is missing, write all files, and return the text."""
    played: dict[str, list[Game2048]] = {}
    for slips, some_seeds in ((False, seeds), (True, seeds_for_slips(seeds))):
        some = {row.name: row.agent for row in ROWS if bool(row.slip) is slips}
        played |= run.play(some, some_seeds)
    frame = table1_frame(played)
    own = {row.name: row for row in ROWS if not row.slip}  # the paper's, without a slip
    milestones = milestones_frame({name: played[name] for name in own})
    by_rule = {
        f"{rule.value.capitalize()} rule": {
            name: played[name]
            for name, row in own.items()
            if row.rule is rule and row.model != PURE
        }
        for rule in Rule
    }
    text = table1_markdown(frame, milestones, seeds)
    tables = {"table1": frame, "milestones": milestones}
    figures = {
        "table1": table1_figure(played, frame),
        "milestones": milestones_figure(by_rule),
    }
    run.write(Results("table1", text, tables, figures), settings)
    return text


def table1(of: paper.Paper) -> None:
    """Play what is missing, and write the results."""
    with opened(of, Game2048) as run:
        print(reproduce_table1(run, of.seeds, settings_of(of)), end="")


if __name__ == "__main__":
    paper.script(table1, "table1", 1000)
