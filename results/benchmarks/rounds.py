"""Rules of allocation compared on simulated validations, whose truth is known.

A study validates about a dozen points: for each of six budgets over two decades of cost a trial and
a proposal of the model, nearly as good as the true front, and a baseline. Their true means, costs
and games are drawn from the seed. A game's score has two modes as in 2048, and a variance that
grows with the mean by the power 1.4; its seconds grow with cost and score. A rule shares out the
games (:mod:`study.run.allocation`), and the validation is stopped after so many seconds of play,
in the middle of a round, too.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from results.benchmarks.command import say, told
from results.benchmarks.samplers.surface import Floats, two_modes
from thetafront.study.errors import check_range
from thetafront.study.estimate import Z95, Estimate, difference, share, t95
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import MANIFEST, check_output, provenance, write_manifest
from thetafront.study.log.seeds import LARGEST_STUDY_SEED
from thetafront.study.pareto import nondominated
from thetafront.study.report.sections import Section, document
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.allocation import (
    DEFAULT_RULE,
    FIRST_GAMES,
    RULES,
    Played,
    Round,
    decades_of_budgets,
    next_round,
)
from thetafront.study.shrinkage import Moments, growing_variances
from thetafront.study.text import counted

STOPS = (300.0, 600.0, 1800.0, 5400.0)  # seconds of play, all workers together
N_BUDGETS, CHEAPEST, REFERENCE = 6, 1e-5, 1e-3  # seconds a move
FROM_FRONT = 2_000.0  # points below the front, a half-normal deviation
BASELINE = (2e-4, 38_000.0)
DEVIATION, AT_MEAN, POWER = 18_000.0, 45_000.0, 0.7  # of one game
MOVES_A_POINT = 0.05
MOST_GAMES, MOST_SEEDS = 20_000, 10_000

MEASURES = {
    "regret_points": ("regret", ",.0f"),
    "interval_width": ("width of the hypervolume's 95% interval", ",.0f"),
    "error_points": ("error of what is expected", ",.0f"),
}


@dataclass(frozen=True)
class Simulated:
    """Points with their truth and their games, the cheapest first."""

    cost: Floats
    mean: Floats
    deviation: Floats  # of one game
    seconds: Floats  # a game
    scores: Floats  # shape (k, MOST_GAMES)

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
        none = np.empty(0)
        factors = [
            two_modes(none, MOST_GAMES, np.random.default_rng([seed, 1, k]))
            for k in range(len(mean))
        ]
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
        played = Played(
            np.array([each.mean for each in moments]),
            n * growing_variances(moments),
            n,
            self.seconds,
            self.decades,
        )
        games = next_round(played, np.full(len(n), MOST_GAMES), rule)
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


def allocation_frame(
    n_seeds: int,
    first_seed: int,
    stops: Sequence[float] = STOPS,
    on_progress: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Run all rules on each seed; return a row a rule, seed and stop.

    InputError if a number is out of range.
    """
    check_range("seeds", n_seeds, 2, MOST_SEEDS)
    check_range("first seed", first_seed, 0, LARGEST_STUDY_SEED - n_seeds)
    rows = []
    for seed in range(first_seed, first_seed + n_seeds):
        on_progress(f"seed {seed}, the last is {first_seed + n_seeds - 1}")
        simulated = Simulated.drawn(seed)
        for rule in RULES:
            for stop, n in zip(sorted(stops), simulated.counts(rule, stops), strict=True):
                labels = {"rule": rule, "seed": seed, "seconds": stop}
                rows.append({**labels, **simulated.measured(n)})
    return pd.DataFrame(rows)


def section(frame: pd.DataFrame, stop: float) -> Section:
    """Lay out the rules' means after so many seconds, and paired ratios to equal shares."""
    stopped = frame[frame["seconds"] == stop]
    same = stopped[stopped["rule"] == "equal"]
    rows = []
    for rule in RULES:
        part = stopped[stopped["rule"] == rule]
        cells = [f"**{rule}**" if rule == DEFAULT_RULE else rule]
        for name, (_, form) in MEASURES.items():
            cells.append(f"{part[name].mean():{form}}")
            # Over the mean of equal shares: no seed's small regret may weigh more than others.
            saved = difference(part[name].to_numpy(), same[name].to_numpy())
            cells.append("" if rule == "equal" else percent(saved, float(same[name].mean())))
        cells += [
            covered(part, "n_covered", "n_points"),
            covered(part, "n_answers_covered", "n_answers"),
            f"{part['bias_standard_errors'].mean():+.2f}",
            f"{part['bias_of_answers_standard_errors'].mean():+.2f}",
            f"{part['n_games_fewest'].mean():,.0f}",
        ]
        rows.append(cells)
    columns = ["rule"]
    for label, _ in MEASURES.values():
        columns += [label, "against equal"]
    columns += ["covered", "answers covered", "bias of all", "bias of answers", "fewest games"]
    return Section(f"After {stop:,.0f} seconds of play", columns, rows)


def percent(saved: Estimate, of: float) -> str:
    """Write a difference as a share of something: ``-30% (-41 to -19)``."""
    value, low, high = (100.0 * each / of for each in (saved.value, saved.low, saved.high))
    return f"{value:+.0f}% ({low:+.0f} to {high:+.0f})"


def covered(part: pd.DataFrame, n_inside: str, n: str) -> str:
    """Write the share of intervals that hold the truth."""
    return f"{share(int(part[n_inside].sum()), int(part[n].sum())).value:.3f}"


def allocation_markdown(frame: pd.DataFrame) -> str:
    """Write the comparison as Markdown."""
    n_seeds = frame["seed"].nunique()
    return document(
        "Allocation of validation games",
        f"Means over {counted(n_seeds, 'simulated validation')} of 13 points, stopped after equal "
        "seconds of play; in parentheses 95% intervals of paired differences from equal shares of "
        "games, as a share of their mean. Regret: true points that users of all budgets, evenly "
        "spread in log cost, lose by the point with the highest mean within their budget. Error of "
        "what is expected: its mean less the truth, without sign. Covered: shares of 95% intervals "
        "of all points, and of those that answer a budget, that hold the truth. Bias: mean "
        "difference from the truth, in standard errors. The rule in bold is used.",
        *(section(frame, stop) for stop in sorted(frame["seconds"].unique())),
    )


def run_allocation(
    n_seeds: int, first_seed: int, output: Path, on_progress: Callable[[str], None]
) -> tuple[str, list[Path]]:
    """Compare the rules; write table, text and manifest, and return the text and all paths."""
    make_folder(output, "output")
    check_output(output)
    made_by = provenance()
    frame = allocation_frame(n_seeds, first_seed, on_progress=on_progress)
    text = allocation_markdown(frame)
    paths = [output / "allocation.csv", output / "allocation.md", output / MANIFEST]
    write_csv(frame, paths[0])
    write_text(text, paths[1])
    seeds = [first_seed, first_seed + n_seeds - 1]
    write_manifest({**made_by, "rules": list(RULES), "seeds": seeds}, paths[2])
    return text, paths


def main() -> None:
    """Compare the rules."""
    parser = argparse.ArgumentParser(description="Compare rules for sharing out validation games.")
    parser.add_argument("--seeds", type=int, default=100, help="number of seeds")
    parser.add_argument(
        "--first-seed", type=int, default=0, help="0 to 99 are published, development 1000 and on"
    )
    parser.add_argument("--output", type=Path, default=Path("results/rounds"))
    given = parser.parse_args()
    with told():
        text, _ = run_allocation(given.seeds, given.first_seed, given.output, say)
        print(text)


if __name__ == "__main__":
    main()
