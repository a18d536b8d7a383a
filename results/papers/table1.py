"""Table 1 and Figure 3 of Ripstein (2023): five agents, 1,000 games each, by two rules of merging.

The paper gives neither intervals nor numbers of games. Its published program merges in cascade
(:mod:`engine.twenty48.rule`), and its MDP agents follow an explicit schedule
(:data:`agents.twenty48.schedule.AUTHORS_SCHEDULE`). So each row is played by the common rule and by
the cascade, on the same seeds, and again with the program's two slips
(:mod:`agents.twenty48.published_program`), to measure their effect. The same games answer what
§5.1 says of scores with and without the 4096 tile (:mod:`results.papers.milestones`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import matplotlib as mpl
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
PURE = "Pure MCTS"
REFERENCE = "MDP (top 100%)"
PAPER = pd.DataFrame(
    {
        PURE: (np.nan, 31_011, 0.77, 0.10, 0.00),
        REFERENCE: (1.0, 53_232, 0.97, 0.58, 0.00),
        "MDP (top 75%)": (0.75, 53_565, 0.94, 0.58, 0.01),
        "MDP (top 50%)": (0.5, 53_282, 0.94, 0.57, 0.02),
        "MDP (top 25%)": (0.25, 55_966, 0.93, 0.58, 0.05),
    },
    index=["top_share", "score", *TILES],
).T
"""The paper's Table 1: average score in points, shares of games that reach 2048, 4096 and 8192."""
ROUNDED_SHARE = 0.005  # the paper has whole percents

METHOD = """\
Seeds {first} to {last}, the same for all rows. In parentheses: 95% intervals, of a mean by
bootstrap, of a share by Wilson's score. *Paper* is the paper's figure, which has no interval and no
number of games. *The paper's figures* says where these lie: inside our interval, or how far beyond
its nearer end; the paper's shares are rounded to whole percents."""
ANSWER = """\
The paper's 53,232 to 55,966 points for the MDP agents are nearest to scores of a game in which a
merged tile may merge again. Over {n:,} games a row, our scores are {common} by the common rule, and
{cascade} by the cascade."""
BY_RULE = """\
{low:,.0f} to {high:,.0f} ({n_inside} of the paper's 4 averages inside our intervals, the furthest
{gap:,.0f} points beyond)"""
SLIPS = """\
The program's slips, compared with the same agents without them on the same seeds: one spawn a
direction changes the score of pure MCTS by {0}. 2s explored for 4s change that of the MDP (top
100%) by {1}, which is no clear effect, and that of the MDP (top 25%) by {2}. n = {n:,} pairs
each."""


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
        for model, top_share in mdp.items():
            found.append(Row(str(model), rule, "", Table1(top_share, cascade=cascade)))
    one_spawn = OneSpawnADirection(N_PLAYOUTS, cascade=True)
    found.append(Row(PURE, Rule.CASCADE, "one spawn a direction", one_spawn))
    for model in (REFERENCE, "MDP (top 25%)"):
        twos = FoursExploredAsTwos(mdp[model], cascade=True)
        found.append(Row(model, Rule.CASCADE, "2s explored for 4s", twos))
    return found


ROWS = table1_rows()


def beyond(estimate: Estimate, other: float, rounding: float = 0.0) -> float:
    """Return how far a number, known to ± ``rounding``, lies above (or below, −) an interval."""
    above = max(other - rounding - estimate.high, 0.0)
    return above + min(other + rounding - estimate.low, 0.0)


def table1_frame(games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
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
        n, scores = len(mine), paper.scores_of(mine)
        mean = intervals.mean(scores)
        line: dict[str, Any] = {"model": row.model, "rule": row.rule.value, "slip": row.slip}
        line |= {"n_games": n, "score_mean_points": mean.value, "score_sem_points": mean.sem}
        line |= paper.mean_columns(mean)
        line |= {
            "paper_score_points": int(reported["score"]),
            "score_inside": mean.contains(reported["score"]),
            "score_beyond_points": beyond(mean, reported["score"]),
        }
        others = {"difference": references[row.rule], "slip_effect": replace(row, slip="").name}
        for key, other in others.items():
            theirs = paper.scores_of(games[other][:n])
            line |= paper.estimate_columns(key, intervals.difference(scores, theirs))
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


def where(row: Mapping[Any, Any]) -> str:
    """Say where the paper's figures lie relative to our intervals."""
    gaps = {"score": f"{row['score_beyond_points']:+,.0f}"} if not row["score_inside"] else {}
    gaps |= {
        str(tile): f"{row[f'share_beyond_{tile}']:+.1%}"
        for tile in TILES
        if not row[f"share_inside_{tile}"]
    }
    said = [
        f"{name} {gap[1:]} {'above' if gap[0] == '+' else 'below'}" for name, gap in gaps.items()
    ]
    if said and "score" not in gaps:
        said.insert(0, "score inside")
    return "; ".join(said) or "all inside"


def table(title: str, part: pd.DataFrame, other: str, key: str) -> str:
    """Write some rows as Markdown, with their differences from ``other``."""
    shares = [heading for tile in TILES for heading in (f"≥ {tile}", "paper")]
    columns = ("model", "n", "mean score", "paper", *shares, "the paper's figures")
    rows = []
    for row in part.to_dict("records"):
        is_reference = row["model"] == REFERENCE and not row["slip"]
        cells = [
            ", ".join(filter(None, (row["model"], row["slip"]))),
            f"{row['n_games']:,}",
            paper.shown(row, "score_mean", "score"),
            f"{row['paper_score_points']:,}",
        ]
        for tile in TILES:
            ends = (row[f"share_{each}_{tile}"] for each in ("reaching", "low95", "high95"))
            cells += [
                "{:.1%} ({:.1%} to {:.1%})".format(*ends),
                f"{row[f'paper_share_{tile}']:.0%}",
            ]
        cells += [where(row), "-" if is_reference else paper.shown(row, key, key, "+")]
        rows.append(cells)
    headings = (*columns, f"less {other}, same seeds")
    return f"## {title}\n\n{paper.markdown_table(headings, rows, 'lrrrrrrrrrlr')}"


def text_of(
    frame: pd.DataFrame, tiles: pd.DataFrame, games: Mapping[str, pd.DataFrame], seeds: range
) -> str:
    """Write answers and tables; ``tiles`` and ``games`` of the rows without a slip."""
    common, slipped = frame["rule"] == Rule.COMMON.value, frame["slip"] != ""
    by_rule = {}
    for rule, part in frame[~slipped & (frame["model"] != PURE)].groupby("rule"):
        by_rule[str(rule)] = BY_RULE.format(
            low=part["score_mean_points"].min(),
            high=part["score_mean_points"].max(),
            n_inside=part["score_inside"].sum() or "none",
            gap=part["score_beyond_points"].abs().max(),
        )
    slips = frame[slipped]
    effects = [
        paper.shown(row, "slip_effect", "slip_effect", "+") for row in slips.to_dict("records")
    ]
    n = int(frame["n_games"].max())
    return paper.document(
        f"Table 1 of Ripstein (2023), played again: {n:,} games a row",
        METHOD.format(first=seeds[0], last=seeds[-1]),
        ANSWER.format(n=n, **by_rule),
        SLIPS.format(*effects, n=slips["n_games"].iloc[0]),
        milestones.answer(tiles),
        table("Common rules", frame[common], "top 100%", "difference"),
        table("Merging in cascade", frame[~common & ~slipped], "top 100%", "difference"),
        table("Cascade, and the program's slips", slips, "without the slip", "slip_effect"),
        milestones.section(tiles, games),
    )


@mpl.rc_context(paper.STYLE)
def table1_figure(games: Mapping[str, pd.DataFrame], frame: pd.DataFrame) -> Figure:
    """Draw Figure 3: each model's distribution of scores, common rule left, cascade right."""
    figure, axes = paper.new_figure(9.2, 5.6)
    models = list(PAPER.index)
    sides: dict[Rule, tuple[Literal["low", "high"], str, float]] = {
        Rule.COMMON: ("low", paper.BLUE, -0.09),
        Rule.CASCADE: ("high", paper.RED, 0.09),
    }
    # A small marker: intervals are hardly longer than a large one.
    bars = {"fmt": "o", "markersize": 2.2, "zorder": 4, "elinewidth": 1.4, "capsize": 4}
    for row in (each for each in ROWS if not each.slip):
        side, colour, offset = sides[row.rule]
        position = models.index(row.model)
        shape: dict[str, Any] = {"widths": 0.86, "points": 400, "bw_method": 0.12}
        scores = paper.scores_of(games[row.name])
        parts = axes.violinplot(scores, [position], side=side, showextrema=False, **shape)
        bodies: Any = parts["bodies"]
        for body in bodies:
            body.set(facecolor=colour, edgecolor="none", alpha=0.55)
        is_row = (frame["model"] == row.model) & (frame["rule"] == row.rule.value)
        part = frame[is_row & (frame["slip"] == "")]
        label = f"mean, 95% interval: {row.rule.value} rule" if position == 0 else None
        paper.score_bars(axes, [position + offset], part, color=colour, label=label, **bars)
    places = np.arange(len(models))
    line: dict[str, Any] = {"color": paper.BLACK, "linewidth": 1.5, "linestyle": (0, (4, 2))}
    label = "the paper's average"
    axes.hlines(PAPER["score"], places - 0.4, places + 0.4, label=label, zorder=5, **line)
    axes.set_xticks(range(len(models)), models)
    axes.grid(visible=False, axis="x")
    paper.points_axis(axes)
    axes.set_ylabel("score of one game, points")
    axes.set_ylim(bottom=0)
    axes.set_title("Figure 3 of Ripstein (2023), played again by two rules of merging")
    axes.legend(loc="upper left", fontsize=8.5)
    paper.caption(
        figure,
        f"{int(frame['n_games'].max()):,} games a half violin, the same seeds for all. An area is "
        "the distribution of single games' scores (a kernel density, scaled to the room). Left "
        "halves: the common rule; right halves: the cascade, where a merged tile may merge again. "
        "The paper gives no number of games.",
    )
    return figure


def table1(of: paper.Paper) -> None:
    """Play what is missing, and write the results; rows with slips have a quarter of the games."""
    seeds = of.seeds
    games = of.play({row.name: row.agent for row in ROWS if not row.slip})
    few = seeds[: max(2, len(seeds) // 4)]
    played = games | of.play({row.name: row.agent for row in ROWS if row.slip}, few)
    frame, tiles = table1_frame(played), milestones.milestones_frame(games)
    by_rule = {
        f"{rule.value.capitalize()} rule": {
            row.name: games[row.name]
            for row in ROWS
            if row.rule is rule and row.model != PURE and not row.slip
        }
        for rule in Rule
    }
    figures = {
        "table1": table1_figure(played, frame),
        "milestones": milestones.milestones_figure(by_rule),
    }
    text = text_of(frame, tiles, games, seeds)
    of.write("table1", text, {"table1": frame, "milestones": tiles}, figures)


if __name__ == "__main__":
    paper.script(table1, "table1", 1000)
