"""Three dice by value iteration: the table of Thanki (2021), compared with exact expectations.

θ is the post's tolerance: value iteration stops when no value changes by more than θ in a sweep. γ
is the discount. F is the final score, which is the reward of sticking (holding all dice).

The post's program sets the value of sticking to F + γ·F: its game returns F as the reward of the
last action, and its recursion also uses F as the value of the final state. The correct value of the
final state is 0. All games together take only seconds, so every run plays them again.

Source: P. Thanki, *Value iteration algorithm* (2021).
"""

from dataclasses import dataclass
from itertools import combinations, product
from math import sqrt
from typing import Any

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
"""The post's table: θ, γ, worst, mean and best score, and seconds per game (10,000 games)."""
POSTS_GAMES = 10_000
GAMMAS = tuple(k / 200 for k in range(160, 201))
TOLERANCES = (10.0, 3.0, 1.0, 0.1, 1e-4)
# Colours of the tolerances, the smallest first.
COLOURS = (paper.GREEN, paper.ORANGE, paper.RED, paper.BLUE, paper.BLACK)
N_TIMED = 1_000_000
N_DRAWS = 1_000_000


@dataclass(frozen=True)
class FinalScoreTwice(DiceAgent):
    """The post's agent: it values sticking at (1 + γ)·F, but its games are scored by the rules."""

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """The rewards of the MDP that value iteration solves."""
        reward = self.rules.mdp.reward.copy()
        reward[self.rules.sticking :: self.rules.n_holds] *= 1 + self.gamma
        return reward


RECURSIONS: dict[str, type[DiceAgent]] = {PROGRAM: FinalScoreTwice, CORRECT: DiceAgent}


def play(first_seed: int, n_games: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Play the games of each row of the post's table with both recursions.

    Returns the rows, and for each row the number of games with each score. No two rows play the
    same seeds, because rows with the same policy would have the same scores on the same seeds.
    """
    lines, counts = [], []
    for recursion, post in product(RECURSIONS, POST):
        theta, gamma, worst, average, best, seconds = post
        agent = RECURSIONS[recursion](gamma, theta)
        agent.play(0)  # compiles the kernels
        games = agent.games(first_seed, n_games)
        scores, exact, sd = games.scores, agent.expected_score, agent.score_sd
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
        }
        ours = (scores.min(), scores.mean(), scores.max(), games.seconds / n_games)
        theirs = (worst, average, best, seconds)
        lines.append(line | columns("", ours, exact, sd / sqrt(n_games)))
        lines[-1] |= columns("post_", theirs, exact, sd / sqrt(POSTS_GAMES))
        for score, n in zip(*np.unique(scores, return_counts=True), strict=True):
            counts.append({**row, "first_seed": first_seed, "score_points": score, "n_games": n})
        first_seed += n_games
    return pd.DataFrame(lines), pd.DataFrame(counts)


def columns(who: str, found: tuple[float, ...], exact: float, error: float) -> dict[str, float]:
    """Return the columns of a row's scores and times; their names begin with ``who``."""
    worst, average, best, seconds = found
    return {
        f"{who}score_min_points": worst,
        f"{who}score_mean_points": average,
        f"{who}score_max_points": best,
        f"{who}standard_error_points": error,
        f"{who}standard_errors_from_exact": (average - exact) / error,
        f"{who}seconds_per_game": seconds,
    }


def grid_frame() -> pd.DataFrame:
    """Return the exact mean score, sweeps and CPU seconds for each recursion, tolerance and γ."""
    lines = []
    for recursion, tolerance, gamma in product((CORRECT, PROGRAM), TOLERANCES, GAMMAS):
        agent = RECURSIONS[recursion](gamma, tolerance)
        line = {"recursion": recursion, "gamma": gamma, "tolerance_points": tolerance}
        line |= {"exact_score_points": agent.expected_score, "n_sticking": agent.n_sticking}
        line |= {"n_sweeps": agent.solved.n_sweeps, "solving_seconds": agent.solving_seconds()}
        lines.append(line)
    return pd.DataFrame(lines)


def order_noise(part: pd.DataFrame) -> dict[str, float]:
    """Measure how noisy the order of the post's rows is; ``part`` has our rows for its program."""
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


def draw_lines(axes: Axes, part: pd.DataFrame, column: str) -> None:
    """Draw a column against γ, one line per tolerance; smaller tolerances have wider lines."""
    for k, tolerance in enumerate(sorted(TOLERANCES)):
        line = part[part["tolerance_points"] == tolerance]
        width, label = 9.0 - 2.0 * k, f"{tolerance:g}"
        style: dict[str, Any] = {"color": COLOURS[k], "linewidth": width, "label": label}
        axes.step(line["gamma"], line[column], where="mid", **style)
    axes.set_xlabel("γ")


def grid_figure(grid: pd.DataFrame) -> Figure:
    """Draw the exact mean score and the sweeps against γ, one line per tolerance."""
    figure, (left, right) = paper.new_figure(10.4, 5.0, ncols=2)
    correct, program = (grid[grid["recursion"] == name] for name in (CORRECT, PROGRAM))
    draw_lines(left, correct, "exact_score_points")
    finest = program[program["tolerance_points"] == min(TOLERANCES)]
    style: dict[str, Any] = {"linestyle": (0, (4, 1.5)), "color": paper.GREY, "linewidth": 1.6}
    style["label"] = f"{min(TOLERANCES):g}, {PROGRAM}"
    left.step(finest["gamma"], finest["exact_score_points"], where="mid", **style)
    optimum = float(grid["exact_score_points"].max())
    left.axhline(optimum, color=paper.BLACK, linewidth=0.9, linestyle=":", zorder=0)
    left.text(min(GAMMAS), optimum + 0.02, f"optimum {optimum:.5f}", fontsize=8.5)
    left.set(title="Score", ylabel="expected score, points", ylim=(11.5, optimum + 0.15))
    left.legend(title="tolerance, points", title_fontsize=8.5, loc="lower right")
    draw_lines(right, correct, "n_sweeps")
    right.set(title="Sweeps", ylabel="sweeps", ylim=(0, None))
    return figure


def table_figure(frame: pd.DataFrame) -> Figure:
    """Draw the post's averages, our averages, and the exact mean scores of the policies."""
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
    paper.places_axis(axes, [f"θ = {theta:g}\nγ = {gamma:g}" for theta, gamma, *_ in POST])
    axes.set_ylabel("score, points")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")
    return figure


def dice(run: paper.Paper) -> None:
    """Play the games of each row of the post's table, and write tables, figures and text."""
    path = run.output / "games.csv"
    if path.exists() and not path.read_bytes().startswith(b"recursion,"):
        raise InputError(f"{path}: games of another script; use another folder")
    frame, counts = play(run.seeds[0], run.n_games)
    rate = N_TIMED / min(DiceAgent().games(0, N_TIMED).seconds for _ in range(4))
    grid = grid_frame()
    by_recursion = dict(tuple(frame.groupby("recursion")))
    program, correct = by_recursion[PROGRAM], by_recursion[CORRECT]
    distance = frame["post_standard_errors_from_exact"].abs().groupby(frame["recursion"])
    run.write(
        "dice",
        {"dice": frame, "grid": grid, "games": counts},
        {"dice": grid_figure(grid), "table": table_figure(frame)},
        {"games_per_cpu_second": round(rate)},
        program=program,
        correct=correct,
        at=paper.by(frame, "{recursion}, γ = {gamma:g}"),
        within=distance.max()[PROGRAM],
        apart=distance.min()[CORRECT],
        errors=frame["post_standard_error_points"].agg(["min", "max"]),
        noise=order_noise(program),
        best=DiceAgent(),
        million_games=rate / 1e6,
    )


if __name__ == "__main__":
    paper.script(dice, "dice_report", 10_000)
