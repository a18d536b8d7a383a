"""Table 1 and Figure 3 of Ripstein (2023): five agents, 1,000 games each, under two rules of merging.

The paper's table gives no interval and does not say how many games it rests on. Its program merges in cascade
(:mod:`engine.twenty48.rule`), and its MDP agents follow an explicit schedule
(:data:`agents.twenty48.schedule.AUTHORS_SCHEDULE`); both are facts of its published code. So each row is played under
the common rule and under the cascade, on the same seeds; and, for what they matter, with the program's two
slips (:mod:`agents.twenty48.published_program`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from agents.twenty48.mcmdp import Table1
from agents.twenty48.pmcts import PureMonteCarlo
from agents.twenty48.published_program import FoursExploredAsTwos, OneSpawnADirection
from engine.twenty48 import Rule
from study import estimate as intervals
from study.experiments.twenty48_games import summarize
from study.report.scores import estimate_columns, mean_columns, score_bars, scores_of, shown
from study.report.style import BLACK, BLUE, RED, STYLE, caption, new_figure, points_axis

TILES = (2048, 4096, 8192)
N_PLAYOUTS = 100
TOP_SHARES = (1.0, 0.75, 0.5, 0.25)


@dataclass(frozen=True)
class Reported:
    """A row of the paper's Table 1.

    Attributes
    ----------
    shares : tuple of float
        Of games that reach 2048, 4096 and 8192.
    score : int
        Average score, in points.
    """

    shares: tuple[float, float, float]
    score: int


PAPER = {
    "Pure MCTS": Reported((0.77, 0.10, 0.00), 31_011),
    "MDP (top 100%)": Reported((0.97, 0.58, 0.00), 53_232),
    "MDP (top 75%)": Reported((0.94, 0.58, 0.01), 53_565),
    "MDP (top 50%)": Reported((0.94, 0.57, 0.02), 53_282),
    "MDP (top 25%)": Reported((0.93, 0.58, 0.05), 55_966),
}
REFERENCE = "MDP (top 100%)"
ROUNDED_SHARE = 0.005  # the paper has whole percents


@dataclass(frozen=True)
class Row:
    """A row of ours.

    Attributes
    ----------
    model : str
        Which row of the paper's it stands against.
    rule : Rule
        How tiles merge.
    slip : str
        What of the program's slips it has; empty for none.
    agent : Agent
        Who plays.
    """

    model: str
    rule: Rule
    slip: str
    agent: Agent

    @property
    def name(self) -> str:
        """For progress, and as a key."""
        return ", ".join(filter(None, (self.model, self.rule.value, self.slip)))


def rows() -> list[Row]:
    """Return all rows: those of the paper by both rules, then those with the program's slips."""
    mdp = dict(zip(list(PAPER)[1:], TOP_SHARES, strict=True))
    found = []
    for rule in Rule:
        cascade = rule is Rule.CASCADE
        found.append(Row("Pure MCTS", rule, "", PureMonteCarlo(N_PLAYOUTS, cascade)))
        for model, top_share in mdp.items():
            agent = Table1(top_share, cascade=cascade)
            found.append(Row(model, rule, "", agent))
    rule = Rule.CASCADE
    one_spawn = OneSpawnADirection(N_PLAYOUTS, cascade=True)
    found.append(Row("Pure MCTS", rule, "one spawn a direction", one_spawn))
    for model, top_share in mdp.items():
        if top_share in {1.0, 0.25}:
            twos = FoursExploredAsTwos(top_share, cascade=True)
            found.append(Row(model, rule, "2s explored for 4s", twos))
    return found


ROWS = rows()


def seeds_for_slips(seeds: Sequence[int]) -> Sequence[int]:
    """Return the seeds of the rows with slips: a quarter, enough to see whether a slip matters."""
    return seeds[: max(2, len(seeds) // 4)]


def table1_frame(games: Mapping[str, Sequence[Game2048]]) -> pd.DataFrame:
    """Return one row a row, ours beside the paper's.

    Parameters
    ----------
    games : mapping of str to sequence of Game2048
        By :attr:`Row.name`; all of the same seeds in the same order, or of the first of them.

    Returns
    -------
    DataFrame
        Mean scores and shares with their 95% intervals (bootstrap, Wilson); the paper's figure; whether it lies
        inside (a share: whether one that rounds to it does), and if not, how far beyond the interval's nearer
        end (``*_beyond``, negative below it); and the difference of the mean from the first MDP row's of the same rule, and from the same row's without
        the slip, in pairs of equal seeds.
    """
    references = {row.rule: row.name for row in ROWS if row.model == REFERENCE and not row.slip}
    lines = []
    for row in ROWS:
        mine = games[row.name]
        scores = scores_of(mine)
        reference = games[references[row.rule]]
        without = games[replace(row, slip="").name]
        summary = summarize(mine)
        mean = intervals.mean(scores)
        apart = intervals.difference(scores, scores_of(reference[: len(mine)]))
        effect = intervals.difference(scores, scores_of(without[: len(mine)]))
        paper = PAPER[row.model]
        line: dict[str, object] = {
            "model": row.model,
            "rule": row.rule.value,
            "slip": row.slip,
            "n_games": len(mine),
            **mean_columns(mean, summary.score_sem),
            "paper_score_points": paper.score,
            "score_inside": mean.contains(paper.score),
            "score_beyond_points": beyond(mean, paper.score),
            **estimate_columns("difference", apart),
            **estimate_columns("slip_effect", effect),
        }
        for tile, reported in zip(TILES, paper.shares, strict=True):
            share = intervals.share(sum(game.max_tile >= tile for game in mine), len(mine))
            line |= {
                f"share_reaching_{tile}": share.value,
                f"share_low95_{tile}": share.low,
                f"share_high95_{tile}": share.high,
                f"paper_share_{tile}": reported,
                f"share_inside_{tile}": beyond(share, reported, ROUNDED_SHARE) == 0.0,
                f"share_beyond_{tile}": beyond(share, reported, ROUNDED_SHARE),
            }
        line["seconds_per_move"] = summary.seconds_per_move
        line["playout_moves_per_move"] = summary.playout_moves_per_move
        lines.append(line)
    return pd.DataFrame(lines)


def beyond(estimate: intervals.Estimate, other: float, rounding: float = 0.0) -> float:
    """Return how far a number lies above an interval, or, negative, below it; 0 inside.

    The number is known up to ``rounding`` to either side.
    """
    above = max(other - rounding - estimate.high, 0.0)
    return above + min(other + rounding - estimate.low, 0.0)


def verdict(row: "pd.Series[Any]") -> str:
    """Say in a few words how the paper's figures lie to ours."""
    words = []
    gap = float(row["score_beyond_points"])
    if row["score_inside"]:
        words.append("score inside")
    else:
        words.append(f"score {abs(gap):,.0f} {'above' if gap > 0 else 'below'}")
    for tile in TILES:
        gap = float(row[f"share_beyond_{tile}"])
        if not row[f"share_inside_{tile}"]:
            words.append(f"{tile} {abs(gap):.1%} {'above' if gap > 0 else 'below'}")
    return "; ".join(words) if len(words) > 1 or "inside" not in words[0] else "all inside"


def answer(frame: pd.DataFrame) -> str:
    """Say in two sentences what the paper's averages of the MDP rows correspond to."""
    mdp = frame[(frame["slip"] == "") & (frame["model"] != next(iter(PAPER)))]
    n = int(mdp["n_games"].max())
    said, gaps = {}, {}
    for rule, part in mdp.groupby("rule"):
        beyond_points = part["score_beyond_points"]
        gaps[rule] = float(beyond_points.abs().max())
        low, high = part["score_mean_points"].min(), part["score_mean_points"].max()
        n_inside = int(part["score_inside"].sum())
        where = (
            f"of the paper's {len(part)} averages {n_inside or 'none'} inside our intervals, the furthest "
            f"{gaps[rule]:,.0f} points beyond"
        )
        said[rule] = f"{low:,.0f} to {high:,.0f} ({where})"
    nearest = min(gaps, key=lambda rule: gaps[rule])
    game = (
        "a game in which a merged tile may merge again"
        if nearest == Rule.CASCADE.value
        else "the common game"
    )
    scores = mdp["paper_score_points"]
    return (
        f"The paper's {scores.min():,} to {scores.max():,} points for the MDP agents are nearest to scores of {game}. "
        f"Over {n:,} games a row ours are {said['common']} by the common rule, and {said['cascade']} by the cascade."
        f"\n\nThe program's slips, against the same agents without them on the same seeds: {slips_answer(frame)}."
    )


def slips_answer(frame: pd.DataFrame) -> str:
    """Say what the slips do, one phrase a row."""
    phrases = []
    for _, row in frame[frame["slip"] != ""].iterrows():
        low, high = row["slip_effect_low95_points"], row["slip_effect_high95_points"]
        seen = "costs points" if high < 0 else "wins points" if low > 0 else "is not seen"
        phrases.append(
            f"{row['slip']}, {row['model']}, {seen}, {row['slip_effect_points']:+,.0f} ({low:+,.0f} to {high:+,.0f}, "
            f"n = {row['n_games']:,} pairs)"
        )
    return "; ".join(phrases)


def table1_markdown(frame: pd.DataFrame, seeds: Sequence[int]) -> str:
    """Write the table as Markdown."""
    n = int(frame["n_games"].max())
    lines = [
        f"# Table 1 of Ripstein (2023), played again: {n:,} games a row",
        "",
        f"Seeds {seeds[0]} to {seeds[-1]}, the same for all rows. In parentheses 95% intervals: of a mean by "
        "bootstrap, of a share by Wilson's score. *Paper* is the paper's figure, which has no interval and no number "
        "of games. The verdict says where the paper's figure lies: inside our interval, or how far beyond its "
        "nearer end; its shares are taken as rounded to whole percents.",
        "",
        answer(frame),
    ]
    kinds = (
        ("Common rules", frame[(frame["rule"] == "common")], "top 100%", "difference"),
        (
            "Merging in cascade",
            frame[(frame["rule"] == "cascade") & (frame["slip"] == "")],
            "top 100%",
            "difference",
        ),
        (
            "Cascade, and the program's slips",
            frame[frame["slip"] != ""],
            "without the slip",
            "slip_effect",
        ),
    )
    for title, part, other, key in kinds:
        lines += [
            "",
            f"## {title}",
            "",
            "| model | n | mean score | paper | "
            + " | ".join(f"≥ {tile} | paper" for tile in TILES)
            + f" | the paper's figures | less {other}, same seeds |",
            "|---|---:|---:|---:|" + "---:|---:|" * len(TILES) + "---|---:|",
        ]
        for _, row in part.iterrows():
            shares = " | ".join(
                f"{row[f'share_reaching_{tile}']:.1%} ({row[f'share_low95_{tile}']:.1%} to "
                f"{row[f'share_high95_{tile}']:.1%}) | {row[f'paper_share_{tile}']:.0%}"
                for tile in TILES
            )
            name = row["model"] + (f", {row['slip']}" if row["slip"] else "")
            is_reference = row["model"] == REFERENCE and not row["slip"]
            apart = "-" if is_reference else shown(row, key, key, "+")
            lines.append(
                f"| {name} | {row['n_games']:,} | {shown(row, 'score_mean', 'score')} | "
                f"{row['paper_score_points']:,} | {shares} | {verdict(row)} | {apart} |"
            )
    return "\n".join(lines) + "\n"


@mpl.rc_context(STYLE)
def table1_figure(games: Mapping[str, Sequence[Game2048]], frame: pd.DataFrame) -> Figure:
    """Draw Figure 3: how the scores of each model spread, the common rule left, the cascade right."""
    figure, axes = new_figure(9.2, 5.6)
    models = list(PAPER)
    sides: dict[Rule, tuple[Literal["low", "high"], str]] = {
        Rule.COMMON: ("low", BLUE),
        Rule.CASCADE: ("high", RED),
    }

    for row in ROWS:
        if row.slip:
            continue
        side, colour = sides[row.rule]
        position = models.index(row.model)
        scores = scores_of(games[row.name])
        parts = axes.violinplot(
            scores,
            [position],
            widths=0.86,
            side=side,
            showextrema=False,
            bw_method=0.12,
            points=400,
        )
        bodies: Any = parts["bodies"]
        for body in bodies:
            body.set(facecolor=colour, edgecolor="none", alpha=0.55)
        line = frame[
            (frame["model"] == row.model)
            & (frame["rule"] == row.rule.value)
            & (frame["slip"] == "")
        ]
        offset = -0.09 if side == "low" else 0.09
        score_bars(
            axes,
            [position + offset],
            line,
            fmt="o",
            color=colour,
            markeredgecolor="white",
            markersize=4.5,
            elinewidth=1.6,
            capsize=3,
            label=f"mean, 95% interval: {row.rule.value} rule" if position == 0 else None,
            zorder=4,
        )
    axes.hlines(
        [PAPER[model].score for model in models],
        np.arange(len(models)) - 0.4,
        np.arange(len(models)) + 0.4,
        color=BLACK,
        linewidth=1.5,
        linestyle=(0, (4, 2)),
        label="the paper's average",
        zorder=5,
    )
    axes.set_xticks(range(len(models)), models)
    axes.grid(visible=False, axis="x")
    points_axis(axes)
    axes.set_ylabel("score of one game, points")
    axes.set_ylim(bottom=0)
    axes.set_title("Figure 3 of Ripstein (2023), played again by two rules of merging")
    axes.legend(loc="upper left", fontsize=8.5)
    n = int(frame["n_games"].max())
    caption(
        figure,
        f"{n:,} games a half violin, the same seeds for all; an area shows how the scores of single games spread "
        "(a kernel density, as wide as there is room). Left halves: the common rule; right halves: the cascade, where a merged tile "
        "may merge again. The paper gives no number of games.",
    )
    return figure
