"""Three dice by value iteration: the table of Thanki (2021), beside exact expectations.

θ is the post's tolerance of a sweep's residual, γ its discount, and F the final score, which is the
reward of sticking.

The post's program sets the value of sticking to F + γ·F: its game returns F as the reward of the
last action, and its recursion takes F for the value of the final state, too. The correct value of
the final state is 0. Games take seconds, so they are always played again.

Source: P. Thanki, *Value iteration algorithm* (2021).
"""

from dataclasses import dataclass
from itertools import combinations, product
from math import sqrt
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.papers import paper
from thetafront import InputError
from thetafront.agents.dice.agent import DiceAgent
from thetafront.study.estimate import Z95

PROGRAM, CORRECT = "the post's program", "correct"
POST = (
    (0.01, 0.95, -10, 13.3012, 18, 0.0004879),
    (0.001, 0.95, -8, 13.3221, 18, 0.0004768),
    (0.0001, 0.95, -4, 13.3269, 18, 0.0004987),
    (0.0001, 0.97, -6, 13.3415, 18, 0.0005377),
    (0.001, 0.97, -8, 13.3966, 18, 0.0006144),
)
"""The post's table: θ, γ, worst score, average, best, and seconds a game, of 10,000 games each."""
POSTS_GAMES = 10_000
GAMMAS = tuple(k / 200 for k in range(160, 201))
TOLERANCES = (10.0, 3.0, 1.0, 0.1, 1e-4)
COLOURS = ("#F0E442", "#E69F00", paper.RED, paper.BLUE, paper.BLACK)  # from fine to rough
N_TIMED = 1_000_000
N_DRAWS = 1_000_000

COLUMNS = {
    "θ": "{theta:g}",
    "γ": "{gamma:g}",
    "sweeps": "{n_sweeps}",
    "sticks in": "{n_sticking} of 56",
    "exact": "{exact_score_points:.4f} ± {standard_error_points:.4f}",
    "average": "{score_mean_points:.4f} ({standard_errors_from_exact:+.1f})",
    "worst": "{score_min_points}",
    "best": "{score_max_points}",
    "a game": "{micros:.2f} µs",
    "post's average": "{post_score_mean_points:.4f} ({post_standard_errors_from_exact:+.1f})",
    "post's worst": "{post_score_min_points}",
    "post's best": "{post_score_max_points}",
    "post's game": "{post_micros:.0f} µs",
}


@dataclass(frozen=True)
class FinalScoreTwice(DiceAgent):
    """The post's agent, which values sticking at (1 + γ)·F; it scores by the rules."""

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """The rewards of the process that is solved."""
        reward = self.rules.mdp.reward.copy()
        reward[self.rules.sticking :: self.rules.n_holds] *= 1 + self.gamma
        return reward


RECURSIONS: dict[str, type[DiceAgent]] = {PROGRAM: FinalScoreTwice, CORRECT: DiceAgent}


def play(first_seed: int, n_games: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Play the post's table by both recursions; return a line a row, and games by row and score.

    Each row has seeds of its own: on the same seeds, rows of one policy would score the same.
    """
    lines, counts = [], []
    for recursion, post in product(RECURSIONS, POST):
        theta, gamma, worst, average, best, seconds = post
        agent = RECURSIONS[recursion](gamma, theta)
        agent.play(0)  # compiles
        games = agent.games(first_seed, n_games)
        scores, mean = games.scores, float(games.scores.mean())
        exact, sd = agent.expected_score, agent.score_sd
        error, post_error = sd / sqrt(n_games), sd / sqrt(POSTS_GAMES)
        row = {"recursion": recursion, "theta": theta, "gamma": gamma}
        line = {
            **row,
            "n_sweeps": agent.solved.n_sweeps,
            "n_sticking": agent.n_sticking,
            "solving_seconds": agent.solving_seconds(),
            "exact_score_points": exact,
            "exact_sd_points": sd,
            "n_games": n_games,
            "first_seed": first_seed,
            "score_min_points": int(scores.min()),
            "score_mean_points": mean,
            "score_max_points": int(scores.max()),
            "standard_error_points": error,
            "standard_errors_from_exact": (mean - exact) / error,
            "seconds_per_game": games.seconds / n_games,
            "post_score_min_points": worst,
            "post_score_mean_points": average,
            "post_score_max_points": best,
            "post_standard_error_points": post_error,
            "post_standard_errors_from_exact": (average - exact) / post_error,
            "post_seconds_per_game": seconds,
        }
        lines.append(line)
        for score, n in zip(*np.unique(scores, return_counts=True), strict=True):
            counts.append({**row, "first_seed": first_seed, "score_points": score, "n_games": n})
        first_seed += n_games
    return pd.DataFrame(lines), pd.DataFrame(counts)


def grid_frame() -> pd.DataFrame:
    """Return exact expected score, sweeps and CPU seconds by recursion, tolerance and γ."""
    lines = []
    for recursion, tolerance, gamma in product((CORRECT, PROGRAM), TOLERANCES, GAMMAS):
        agent = RECURSIONS[recursion](gamma, tolerance)
        line = {
            "recursion": recursion,
            "gamma": gamma,
            "tolerance_points": tolerance,
            "exact_score_points": agent.expected_score,
            "n_sticking": agent.n_sticking,
            "n_sweeps": agent.solved.n_sweeps,
            "solving_seconds": agent.solving_seconds(),
        }
        lines.append(line)
    return pd.DataFrame(lines)


def order_noise(part: pd.DataFrame) -> dict[str, float]:
    """Return how much noise is in the post's order; ``part`` has the lines of its program."""
    columns = ["exact_score_points", "post_standard_error_points", "post_score_mean_points"]
    exact, errors, reported = part[columns].to_numpy(float).T
    high = part["gamma"].to_numpy(float) == part["gamma"].max()
    draws = np.random.default_rng(0).normal(exact, errors, (N_DRAWS, len(part)))
    pairs = [pair for pair in combinations(range(len(part)), 2) if np.ptp(exact[[*pair]]) < 1e-9]

    def gaps(averages: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.array([np.abs(averages[..., i] - averages[..., j]) for i, j in pairs])

    gap, (widest, _) = float(gaps(reported).max()), pairs[int(gaps(reported).argmax())]
    noise = float((errors**2).mean())
    in_order = np.diff(draws[:, np.argsort(reported)], axis=1) > 0
    return {
        "noise_share": noise / (noise + float(exact.var(ddof=1))),
        "p_order": float(in_order.all(axis=1).mean()),
        "p_gammas": float((draws[:, high].min(axis=1) > draws[:, ~high].max(axis=1)).mean()),
        "gap": gap,
        "gap_errors": gap / (sqrt(2) * float(errors[widest])),
        "p_gap": float((gaps(draws).max(axis=0) >= gap).mean()),
    }


def markdown(frame: pd.DataFrame, rate: float) -> str:
    """Write the method, the findings and the tables; ``rate`` is in games a CPU second."""
    n, first = int(frame["n_games"].iloc[0]), frame["first_seed"]
    errors = frame["post_standard_error_points"]
    best = DiceAgent()
    exact = frame.groupby(["recursion", "gamma"])["exact_score_points"].first()
    distance = frame["post_standard_errors_from_exact"].abs().groupby(frame["recursion"])
    noise = order_noise(frame[frame["recursion"] == PROGRAM])
    text = f"""
Each row has {n:,} games of its own: seeds {first.min()} to {first.max() + n - 1}, in the order of
the tables. *Exact* is the policy's mean score, computed by linear equations, ± the exact standard
error of an average of {n:,} games. The number in parentheses is the distance of an average from the
exact mean, in standard errors. For the post's {POSTS_GAMES:,} games, the standard error is
{errors.min():.4f} to {errors.max():.4f} points. Times are CPU seconds per game, without solving;
the post's times are those of its Python program on its own machine. In a long run, one CPU second
plays {rate / 1e6:.1f} million games.

No policy has a mean score above {best.expected_score:.5f} points. Value iteration with γ = 1 finds
this policy, which sticks in {best.n_sticking} of {best.rules.n_states} states.

The post's program uses `final_score` both as the reward of sticking and as the value of the final
state, so it values sticking at (1 + γ) times the final score. The point that a reroll costs then
weighs only about half as much as it should, which happens to compensate for the discount: the
program's policies have mean scores of {exact[PROGRAM, 0.95]:.4f} (γ = 0.95) and
{exact[PROGRAM, 0.97]:.4f} (γ = 0.97). With the same γ, the correct recursion sticks too early, and
its policies have mean scores of {exact[CORRECT, 0.95]:.4f} and {exact[CORRECT, 0.97]:.4f}. The
post's averages are within {distance.max()[PROGRAM]:.1f} standard errors of the exact means of its
program, and at least {distance.min()[CORRECT]:.1f} from those of the correct recursion.

For a given γ, the policy is the same for every θ of the table, so the order of rows with the same γ
is pure noise. The largest difference between two of the post's averages for one policy is
{noise["gap"]:.4f} points, or {noise["gap_errors"]:.1f} standard errors of the difference. Among
{N_DRAWS:,} tables drawn with the exact means and standard errors, {noise["p_gap"]:.0%} have a
difference at least this large. The policies for the two γ differ by
{exact[PROGRAM, 0.97] - exact[PROGRAM, 0.95]:.4f} points: both averages of the higher γ are above
all those of the lower γ in {noise["p_gammas"]:.0%} of the tables, and the post's complete order
occurs in {noise["p_order"]:.0%}. Noise accounts for {noise["noise_share"]:.0%} of the expected
variance among the five averages.
"""
    times = {"micros": "seconds_per_game", "post_micros": "post_seconds_per_game"}
    shown = frame.assign(**{name: 1e6 * frame[column] for name, column in times.items()})
    parts = []
    for recursion, title in ((PROGRAM, "The post's program"), (CORRECT, "The correct recursion")):
        records = shown[shown["recursion"] == recursion].to_dict("records")
        rows = [[cell.format_map(row) for cell in COLUMNS.values()] for row in records]
        parts += [f"## {title}", paper.markdown_table([*COLUMNS], rows, "r" * len(COLUMNS))]
    title = f"Three dice by value iteration (Thanki 2021), played again: {n:,} games a row"
    return paper.document(title, *(" ".join(each.split()) for each in text.split("\n\n")), *parts)


def lines_of(axes: Axes, part: pd.DataFrame, column: str) -> None:
    """Draw a column against γ, a line a tolerance; finer ones are wider and below, to show ties."""
    for k, tolerance in enumerate(sorted(TOLERANCES)):
        line = part[part["tolerance_points"] == tolerance]
        width, label = 9.0 - 2.0 * k, f"{tolerance:g}"
        style: dict[str, Any] = {"color": COLOURS[k], "linewidth": width, "label": label}
        axes.step(line["gamma"], line[column], where="mid", **style)


@mpl.rc_context(paper.STYLE)
def grid_figure(grid: pd.DataFrame) -> Figure:
    """Draw exact expected score and sweeps against γ, by tolerance."""
    figure = Figure(figsize=(10.4, 4.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    correct, program = (grid[grid["recursion"] == name] for name in (CORRECT, PROGRAM))
    lines_of(left, correct, "exact_score_points")
    finest = program[program["tolerance_points"] == min(TOLERANCES)]
    style: dict[str, Any] = {"linestyle": (0, (4, 1.5)), "color": paper.GREY, "linewidth": 1.6}
    style["label"] = f"{min(TOLERANCES):g}, {PROGRAM}"
    left.step(finest["gamma"], finest["exact_score_points"], where="mid", **style)
    optimum = float(grid["exact_score_points"].max())
    left.axhline(optimum, color=paper.BLACK, linewidth=0.9, linestyle=":", zorder=0)
    left.text(min(GAMMAS), optimum + 0.02, f"optimum {optimum:.5f}", fontsize=8.5)
    left.set(
        title="Score", xlabel="γ", ylabel="expected score, points", ylim=(11.5, optimum + 0.15)
    )
    left.legend(title="tolerance, points", fontsize=8.5, title_fontsize=8.5, loc="lower right")
    lines_of(right, correct, "n_sweeps")
    right.set(title="Sweeps", xlabel="γ", ylabel="sweeps")
    right.set_ylim(bottom=0)
    paper.caption(
        figure,
        "Three dice. Left: each policy's exact mean score, by linear equations, without games. "
        "Right: Gauss-Seidel sweeps over 56 states, from the values of sticking, by the correct "
        "recursion. Where lines coincide, narrow ones lie on wide ones.",
    )
    return figure


@mpl.rc_context(paper.STYLE)
def table_figure(frame: pd.DataFrame) -> Figure:
    """Draw the post's averages, ours, and the exact means of their policies."""
    figure, axes = paper.new_figure(8.6, 4.8)
    style: dict[str, Any] = {"markersize": 4.5, "capsize": 3}
    at = np.arange(len(POST))
    for name, colour in ((PROGRAM, paper.RED), (CORRECT, paper.BLUE)):
        part = frame[frame["recursion"] == name]
        exact, label = part["exact_score_points"], f"exact mean, {name}"
        axes.hlines(exact, at - 0.35, at + 0.35, color=colour, linewidth=1.8, label=label)
        label = f"average of {part['n_games'].iloc[0]:,} games, {name}"
        mean, error = part["score_mean_points"], Z95 * part["standard_error_points"]
        axes.errorbar(at + 0.12, mean, error, fmt="o", color=colour, label=label, **style)
    error = Z95 * frame.loc[frame["recursion"] == PROGRAM, "post_standard_error_points"]
    style |= {"color": paper.BLACK, "label": f"the post's average of {POSTS_GAMES:,} games"}
    axes.errorbar(at - 0.12, [row[3] for row in POST], error, fmt="D", **style)
    axes.set_xticks(at, [f"θ = {theta:g}\nγ = {gamma:g}" for theta, gamma, *_ in POST])
    axes.grid(visible=False, axis="x")
    axes.set(ylabel="score, points", title="The post's five averages, and the exact means")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right center", fontsize=8.5)
    paper.caption(
        figure,
        "Three dice. Bars: 95%, 1.96 exact standard errors to either side. The post's "
        "program adds γ times the final score once more.",
    )
    return figure


def dice(run: paper.Paper) -> None:
    """Play the table, and write tables, figures and text."""
    path = run.output / "games.csv"
    if path.exists() and not path.read_bytes().startswith(b"recursion,"):
        raise InputError(f"{path}: games of another script; use another folder")
    frame, counts = play(run.seeds[0], run.n_games)
    rate = N_TIMED / min(DiceAgent().games(0, N_TIMED).seconds for _ in range(4))
    grid = grid_frame()
    tables = {"dice": frame, "grid": grid, "games": counts}
    figures = {"dice": grid_figure(grid), "table": table_figure(frame)}
    run.write("dice", markdown(frame, rate), tables, figures, games_per_cpu_second=round(rate))


if __name__ == "__main__":
    paper.script(dice, "dice_report", 10_000)
