"""Rules of allocation compared on simulated validations, whose truth is known.

A study validates about a dozen points: for each of six budgets over two decades of cost a trial and
a proposal of the model, nearly as good as the true front, and a baseline. Their true means, costs
and games are drawn from the seed. A game's score has two modes as in 2048, and a variance that
grows with the mean by the power 1.4; its seconds grow with cost and score. A rule shares out the
games (:mod:`study.run.allocation`), and the validation is stopped after so many seconds of play,
in the middle of a round, too.

``answers`` is the rule of studies; ``regret`` leaves the error out; ``ocba`` is optimal computing
budget allocation with costs (Chen, Lin, Yücesan, Chick 2000) for each budget, averaged; ``equal``
gives the same number of games to each.
"""

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from results.benchmarks.command import command, parser, say, seeds_of
from results.benchmarks.samplers.surface import Floats, two_modes
from thetafront.study.estimate import Z95, difference, t95
from thetafront.study.log.manifest import MANIFEST, provenance, write_manifest
from thetafront.study.pareto import nondominated
from thetafront.study.report.sections import Section, document
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.allocation import (
    FIRST_GAMES,
    Counts,
    Played,
    Round,
    Rule,
    answers,
    decades_of_budgets,
    next_round,
    regret_gains,
    round_seconds,
    with_fewest,
)
from thetafront.study.shrinkage import Moments, growing_variances

STOPS = (300.0, 600.0, 1800.0, 5400.0)  # seconds of play, all workers together
N_BUDGETS, CHEAPEST, REFERENCE = 6, 1e-5, 1e-3  # seconds a move
FROM_FRONT = 2_000.0  # points below the front, a half-normal deviation
BASELINE = (2e-4, 38_000.0)
DEVIATION, AT_MEAN, POWER = 18_000.0, 45_000.0, 0.7  # of one game
MOVES_A_POINT = 0.05
MAX_GAMES = 20_000  # of a point
CLOSEST = 0.3  # in standard errors: what OCBA takes a smaller difference for

MEASURES = {
    "regret_points": ("regret", ",.0f"),
    "interval_width": ("width of the hypervolume's 95% interval", ",.0f"),
    "error_points": ("error of what is expected", ",.0f"),
}


def ocba(of: Played, _draws: Floats) -> Floats:
    """Return how far the seconds of each point are behind their share by OCBA."""
    shares = np.zeros(len(of.mean))
    for k, width in enumerate(of.decades, 1):
        mean, variance, seconds = of.mean[:k], of.variance[:k], of.seconds[:k]
        best = int(np.argmax(mean))
        errors = np.sqrt(variance / of.n[:k] + variance[best] / of.n[best])
        games = variance / np.maximum(mean[best] - mean, CLOSEST * np.maximum(errors, 1e-300)) ** 2
        games[best] = 0.0
        known = np.maximum(variance, 1e-300)
        games[best] = math.sqrt(variance[best] * (seconds @ (games**2 / known)) / seconds[best])
        total = float(games @ seconds)
        shares[:k] += width * (games * seconds / total if total else np.full(k, 1.0 / k))
    spent = of.n * of.seconds
    return np.asarray(shares / shares.sum() * spent.sum() / spent)


RULES: dict[str, Rule | None] = {
    "answers": answers,
    "regret": regret_gains,
    "ocba": ocba,
    "equal": None,
}
DEFAULT_RULE = "answers"


def games_of_round(of: Played, limit: Counts, rule: str) -> Counts:
    """Return how many games each point gets in the next round by one of the rules, shape (k,)."""
    if (gains := RULES[rule]) is not None:
        return next_round(of, limit, gains)
    n = of.n.astype(np.int64)
    return with_fewest(n, limit, of.seconds, round_seconds(of)) - n


@dataclass(frozen=True)
class Simulated:
    """Points with their truth and their games, the cheapest first."""

    cost: Floats
    mean: Floats
    deviation: Floats  # of one game
    seconds: Floats  # a game
    scores: Floats  # shape (k, MAX_GAMES)

    @classmethod
    def drawn(cls, seed: int) -> "Simulated":
        """Draw points and games from a seed; all rules get the same."""
        rng = np.random.default_rng([seed, 0])
        decades = np.repeat(np.linspace(0.0, 2.0, N_BUDGETS), 2)
        cost = CHEAPEST * 10.0**decades * np.exp(0.08 * rng.standard_normal(len(decades)))
        front = 12_000.0 + 40_000.0 * (1.0 - np.exp(-1.3 * decades))
        mean = front - np.abs(rng.normal(0.0, FROM_FRONT, len(decades)))
        cost, mean = np.append(cost, BASELINE[0]), np.append(mean, BASELINE[1])
        order = np.argsort(cost)
        cost, mean = cost[order], mean[order]
        deviation = DEVIATION * (mean / AT_MEAN) ** POWER
        rngs = [np.random.default_rng([seed, 1, k]) for k in range(len(mean))]
        factors = [two_modes(np.empty(0), MAX_GAMES, each) for each in rngs]
        # Two modes have a deviation of 0.4 of the mean.
        scores = mean[:, None] + (np.array(factors) - 1.0) * deviation[:, None] / 0.4
        return cls(cost, mean, deviation, cost * mean * MOVES_A_POINT, scores)

    @property
    def decades(self) -> Floats:
        """Decades of budgets of each point."""
        return decades_of_budgets(self.cost, REFERENCE)

    def round_after(self, n: Floats, rule: str) -> Round[int]:
        """Return the next round's games."""
        if n.min() < FIRST_GAMES:
            return Round(dict(enumerate(np.maximum(FIRST_GAMES - n, 0).astype(int).tolist())))
        moments = [Moments.of(own[: int(k)]) for own, k in zip(self.scores, n, strict=True)]
        means, variances = np.array([each.mean for each in moments]), growing_variances(moments)
        played = Played(means, n * variances, n, self.seconds, self.decades)
        games = games_of_round(played, np.full(len(n), MAX_GAMES), rule)
        return Round(dict(enumerate(games.tolist())))

    def counts(self, rule: str, stops: Sequence[float]) -> list[Floats]:
        """Return how many games each point has after so many seconds, shape (k,) a stop."""
        n, spent, found = np.zeros(len(self.cost)), 0.0, []
        for stop in sorted(stops):
            line = Round[int]({})
            while spent < stop:
                if not line and not (line := self.round_after(n, rule)):
                    break
                point = line.pop()
                n[point] += 1
                spent += self.seconds[point]
            found.append(n.copy())
        return found

    def measured(self, n: Floats) -> dict[str, float]:
        """Measure what a user has after ``n`` games of each point."""
        games = [own[: int(k)] for own, k in zip(self.scores, n, strict=True)]
        means = np.array([own.mean() for own in games])
        picks = answers_of(means)
        decades = self.decades / self.decades.sum()
        errors = np.array([own.std(ddof=1) for own in games]) / np.sqrt(n)
        half = np.array([t95(int(k)) for k in n]) * errors
        inside = np.abs(means - self.mean) <= half
        # In units of the true standard error.
        bias = (means - self.mean) / (self.deviation / np.sqrt(n))
        lost = np.maximum.accumulate(self.mean) - self.mean[picks]
        picked = np.unique(picks)
        return {
            "regret_points": float(lost @ decades),
            "interval_width": self.interval_width(games),
            "error_points": float(np.abs(means - self.mean)[picks] @ decades),
            "n_covered": float(inside.sum()),
            "n_points": float(len(n)),
            "n_answers_covered": float(inside[picked].sum()),
            "n_answers": float(len(picked)),
            "bias_standard_errors": float(bias.mean()),
            "bias_of_answers_standard_errors": float(bias[picked].mean()),
            "n_games_fewest": float(n.min()),
            "widest_standard_error_points": float(errors.max()),
        }

    def interval_width(self, games: Sequence[Floats]) -> float:
        """Return the width of the validated hypervolume's interval, in points · decades."""
        halves = [[own[half::2] for own in games] for half in (0, 1)]
        variance = 0.0
        for choosing, judging in (halves, halves[::-1]):
            front = nondominated(np.array([own.mean() for own in choosing]), self.cost)
            widths = np.diff(np.log10(np.append(self.cost[front], REFERENCE)))
            errors = [judging[k].std(ddof=1) / np.sqrt(len(judging[k])) for k in front]
            variance += float(np.sum((widths * np.array(errors)) ** 2))
        return float(Z95 * np.sqrt(variance))


def answers_of(means: Floats) -> list[int]:
    """Return the point of the highest mean among each and all that are cheaper."""
    return [int(np.argmax(means[: k + 1])) for k in range(len(means))]


def allocation_frame(seeds: Iterable[int], stops: Sequence[float] = STOPS) -> pd.DataFrame:
    """Run all rules on each seed; return a row a rule, seed and stop."""
    rows = []
    for seed in seeds:
        say(f"seed {seed}")
        simulated = Simulated.drawn(seed)
        for rule in RULES:
            for stop, n in zip(sorted(stops), simulated.counts(rule, stops), strict=True):
                labels = {"rule": rule, "seed": seed, "seconds": stop}
                rows.append({**labels, **simulated.measured(n)})
    return pd.DataFrame(rows)


def section(stop: float, frame: pd.DataFrame) -> Section:
    """Lay out the rules' means after so many seconds, and paired ratios to equal shares."""
    equal = frame[frame["rule"] == "equal"]
    columns = ["rule"]
    for label, _ in MEASURES.values():
        columns += [label, "against equal"]
    columns += ["covered", "answers covered", "bias of all", "bias of answers", "fewest games"]
    rows = []
    for rule in RULES:
        part = frame[frame["rule"] == rule]
        mean, total = part.mean(numeric_only=True), part.sum(numeric_only=True)
        cells = [f"**{rule}**" if rule == DEFAULT_RULE else rule]
        for name, (_, form) in MEASURES.items():
            # Over the mean of equal shares: no seed's small regret may weigh more than others.
            saved = difference(part[name].to_numpy(), equal[name].to_numpy())
            ends = np.array([saved.value, saved.low, saved.high]) / equal[name].mean()
            against = "{:+.0f}% ({:+.0f} to {:+.0f})".format(*100.0 * ends)
            cells += [f"{mean[name]:{form}}", "" if rule == "equal" else against]
        cells += [
            f"{total['n_covered'] / total['n_points']:.3f}",
            f"{total['n_answers_covered'] / total['n_answers']:.3f}",
            f"{mean['bias_standard_errors']:+.2f}",
            f"{mean['bias_of_answers_standard_errors']:+.2f}",
            f"{mean['n_games_fewest']:,.0f}",
        ]
        rows.append(cells)
    return Section(f"After {stop:,.0f} seconds of play", columns, rows)


def allocation_markdown(frame: pd.DataFrame) -> str:
    """Write the comparison as Markdown."""
    return document(
        "Allocation of validation games",
        f"Means over {frame['seed'].nunique()} simulated validations of 13 points, stopped after "
        "equal seconds of play; in parentheses 95% intervals of paired differences from equal "
        "shares of games, as a share of their mean. Regret: true points that users of all budgets, "
        "evenly spread in log cost, lose by the point with the highest mean within their budget. "
        "Error of what is expected: its mean less the truth, without sign. Covered: shares of 95% "
        "intervals of all points, and of those that answer a budget, that hold the truth. Bias: "
        "mean difference from the truth, in standard errors. The rule in bold is used.",
        *(section(float(str(stop)), part) for stop, part in frame.groupby("seconds")),
    )


def run(given: argparse.Namespace) -> None:
    """Compare the rules; write table, text and manifest."""
    made_by, seeds = provenance(), seeds_of(given)
    frame = allocation_frame(seeds)
    text = allocation_markdown(frame)
    write_csv(frame, given.output / "allocation.csv")
    write_text(text, given.output / "allocation.md")
    contents = {**made_by, "rules": list(RULES), "seeds": [seeds[0], seeds[-1]]}
    write_manifest(contents, given.output / MANIFEST)
    print(text)


if __name__ == "__main__":
    command(run, parser(__doc__ or "", "rounds", n_seeds=100))
