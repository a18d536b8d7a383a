"""Table 1 and Figure 3 of Ripstein (2023): five agents, 1,000 games each, by two rules of merging.

The paper gives neither intervals nor numbers of games. Its published program merges in cascade
(:mod:`engine.twenty48.rule`), and its MDP agents follow an explicit schedule
(:data:`agents.twenty48.schedule.AUTHORS_SCHEDULE`). So each row is played by the common rule and by
the cascade, on the same seeds, and again with the program's two slips
(:mod:`agents.twenty48.published_program`), to measure their effect. The same games answer what
§5.1 says of scores with and without the 4096 tile (:mod:`results.papers.milestones`).
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.papers import milestones, paper
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.mcmdp import Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.published_program import FoursExploredAsTwos, OneSpawnADirection
from thetafront.engine.twenty48 import Rule
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

TILES = (2048, 4096, 8192)
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
"""The paper's Table 1: average score in points, shares of games that reach 2048, 4096 and 8192."""
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
    """Return how far a number, known to ± ``rounding``, lies above (or below, −) an interval."""
    above = max(other - rounding - estimate.high, 0.0)
    return above + min(other + rounding - estimate.low, 0.0)


def table1_frame(games: paper.Games) -> pd.DataFrame:
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
        mine, reported = games[row.name], PAPER.loc[row.model].to_dict()
        n, mean = len(mine), intervals.mean(paper.scores_of(mine))
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
        lines.append(line | paper.costs_of(mine))
    return pd.DataFrame(lines)


def table1_figure(games: paper.Games, frame: pd.DataFrame) -> Figure:
    """Draw Figure 3: each model's distribution of scores, common rule left, cascade right."""
    figure, axes = paper.new_figure(9.2, 5.6)
    places = np.arange(len(PAPER))
    sides: tuple[tuple[Rule, Literal["low", "high"], str, float], ...] = (
        (Rule.COMMON, "low", paper.BLUE, -0.09),
        (Rule.CASCADE, "high", paper.RED, 0.09),
    )
    for rule, side, colour, offset in sides:
        rows = [row for row in ROWS if row.rule is rule and not row.slip]
        scores = [paper.scores_of(games[row.name]) for row in rows]
        shape: dict[str, Any] = {"widths": 0.86, "points": 400, "bw_method": 0.12}
        parts = axes.violinplot(scores, places, side=side, showextrema=False, **shape)
        for body in parts["bodies"]:
            body.set(facecolor=colour, edgecolor="none", alpha=0.55)
        part = frame[(frame["rule"] == rule.value) & (frame["slip"] == "")]
        # A small marker: intervals are hardly longer than a large one.
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


def table1(of: paper.Paper) -> None:
    """Play what is missing, and write the results; rows with slips have a quarter of the games."""
    games = of.play({row.name: row.agent for row in ROWS if not row.slip})
    few = of.seeds[: max(2, of.n_games // 4)]
    played = games | of.play({row.name: row.agent for row in ROWS if row.slip}, few)
    frame, tiles = table1_frame(played), milestones.milestones_frame(games)
    figures = {
        "table1": table1_figure(played, frame),
        "milestones": milestones.milestones_figure(games),
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
    of.write("table1", tables, figures, **values, **milestones.numbers(tiles, games))


if __name__ == "__main__":
    paper.script(table1, "table1", 1000)
