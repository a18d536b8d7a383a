"""The table of Thanki, *Value iteration algorithm* (2021): five pairs of θ and γ, 10,000 games of three dice each.

Notation
--------
===========  =======================================================================================
θ, γ         the post's tolerance of a sweep's residual, and the discount
F            the final score: what sticking wins
μ, σ         exact mean and standard deviation of a policy's score, by linear equations
SE           σ/√n, the standard error of an average of n games
===========  =======================================================================================

The post's program sets the value of sticking to F + γ·F: its game gives F as the reward of the action that ends it,
and its recursion takes F for the value of what comes after it, too. :class:`FinalScoreTwice` is that process, for
this comparison only. After the end of a game there is nothing to be won: the correct recursion has F alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agents.dice.agent import DiceAgent
from study.report.style import save
from study.report.tables import write_csv, write_text
from study.reproduce.dice.figures import grid_figure, table_figure
from study.reproduce.dice.ranking import ranking
from study.store.location import make_folder
from study.store.manifest import earlier_manifest, provenance, write_manifest

GAMMAS = tuple(k / 200 for k in range(160, 201))
TOLERANCES = (10.0, 3.0, 1.0, 0.1, 1e-4)
N_TIMED = 1_000_000
MANIFEST = "manifest.json"
PROGRAM, CORRECT = "the post's program", "correct"


@dataclass(frozen=True)
class FinalScoreTwice(DiceAgent):
    """The agent of the post's program: sticking is worth (1 + γ)·F to it. Scores are those of the rules."""

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """The reward of each action in the process that is solved: of sticking, γ·F more than by the rules."""
        reward = self.rules.mdp.reward.copy()
        reward[self.rules.sticking :: self.rules.n_holds] *= 1 + self.gamma
        return reward


@dataclass(frozen=True)
class Reported:
    """A row of the post's table, in its order.

    Attributes
    ----------
    theta, gamma : float
        θ and γ.
    worst : int
        The lowest score of its 10,000 games.
    average : float
        Their mean.
    best : int
        The highest.
    seconds_per_game : float
        On its machine.
    """

    theta: float
    gamma: float
    worst: int
    average: float
    best: int
    seconds_per_game: float


POST = (
    Reported(0.01, 0.95, -10, 13.3012, 18, 0.0004879),
    Reported(0.001, 0.95, -8, 13.3221, 18, 0.0004768),
    Reported(0.0001, 0.95, -4, 13.3269, 18, 0.0004987),
    Reported(0.0001, 0.97, -6, 13.3415, 18, 0.0005377),
    Reported(0.001, 0.97, -8, 13.3966, 18, 0.0006144),
)
POSTS_GAMES = 10_000


@dataclass(frozen=True, eq=False)
class Row:
    """A row of the post's table, played again by one recursion.

    Attributes
    ----------
    reported : Reported
        What the post says.
    recursion : str
        PROGRAM or CORRECT.
    agent : DiceAgent
        Who plays.
    scores : int64, shape (n_games,)
        Of the games of the seeds from ``first_seed`` on.
    first_seed : int
        The seed of the first game.
    seconds : float
        CPU seconds of all games.
    """

    reported: Reported
    recursion: str
    agent: DiceAgent
    scores: npt.NDArray[np.int64]
    first_seed: int
    seconds: float


def rows(seeds: Sequence[int]) -> list[Row]:
    """Play all rows, each on seeds of its own.

    Parameters
    ----------
    seeds : sequence of int
        Successive; how many there are is the number of games of each row. The first row has these, the next row the
        same number after them, and so on: rows of one policy would score the same on the same seeds.
    """
    played: list[Row] = []
    for recursion, kind in ((PROGRAM, FinalScoreTwice), (CORRECT, DiceAgent)):
        for reported in POST:
            agent = kind(reported.gamma, reported.theta)
            agent.play(0)  # warm
            first = seeds[0] + len(played) * len(seeds)
            games = agent.games(first, len(seeds))
            played.append(Row(reported, recursion, agent, games.scores, first, games.seconds))
    return played


def dice_frame(played: Sequence[Row]) -> pd.DataFrame:
    """Return one line a row: exact and simulated scores beside the post's."""
    lines = []
    for row in played:
        n, mean = len(row.scores), float(row.scores.mean())
        exact, sd = row.agent.expected_score, row.agent.score_sd
        post = row.reported
        lines.append(
            {
                "recursion": row.recursion,
                "theta": post.theta,
                "gamma": post.gamma,
                "n_sweeps": row.agent.solved.n_sweeps,
                "n_sticking": row.agent.n_sticking,
                "solving_seconds": row.agent.solving_seconds(),
                "exact_score_points": exact,
                "exact_sd_points": sd,
                "n_games": n,
                "first_seed": row.first_seed,
                "score_min_points": int(row.scores.min()),
                "score_mean_points": mean,
                "score_max_points": int(row.scores.max()),
                "standard_error_points": sd / sqrt(n),
                "standard_errors_from_exact": (mean - exact) / (sd / sqrt(n)),
                "seconds_per_game": row.seconds / n,
                "post_score_min_points": post.worst,
                "post_score_mean_points": post.average,
                "post_score_max_points": post.best,
                "post_standard_error_points": sd / sqrt(POSTS_GAMES),
                "post_standard_errors_from_exact": (post.average - exact)
                / (sd / sqrt(POSTS_GAMES)),
                "post_seconds_per_game": post.seconds_per_game,
            }
        )
    return pd.DataFrame(lines)


def scores_frame(played: Sequence[Row]) -> pd.DataFrame:
    """Return how many games of each row scored what."""
    lines = []
    for row in played:
        for score, n in zip(*np.unique(row.scores, return_counts=True), strict=True):
            lines.append(
                {
                    "recursion": row.recursion,
                    "theta": row.reported.theta,
                    "gamma": row.reported.gamma,
                    "first_seed": row.first_seed,
                    "score_points": int(score),
                    "n_games": int(n),
                }
            )
    return pd.DataFrame(lines)


def grid_frame() -> pd.DataFrame:
    """Return what γ and tolerance do: exact expected score, sweeps and CPU seconds, by both recursions."""
    lines = []
    for recursion, kind in ((CORRECT, DiceAgent), (PROGRAM, FinalScoreTwice)):
        for tolerance in TOLERANCES:
            for gamma in GAMMAS:
                agent = kind(gamma, tolerance)
                lines.append(
                    {
                        "recursion": recursion,
                        "gamma": gamma,
                        "tolerance_points": tolerance,
                        "exact_score_points": agent.expected_score,
                        "n_sticking": agent.n_sticking,
                        "n_sweeps": agent.solved.n_sweeps,
                        "solving_seconds": agent.solving_seconds(),
                    }
                )
    return pd.DataFrame(lines)


def verdict(frame: pd.DataFrame) -> str:
    """Say what the post's program does, and how much of its order was noise; first of all what is best."""
    best = DiceAgent()
    exact = {
        (str(row["recursion"]), float(row["gamma"])): float(row["exact_score_points"])
        for _, row in frame.iterrows()
    }
    low, high = sorted({row.gamma for row in POST})
    found = ranking(frame[frame["recursion"] == PROGRAM])
    apart = frame.loc[frame["recursion"] == PROGRAM, "post_standard_errors_from_exact"].abs()
    wrong = frame.loc[frame["recursion"] == CORRECT, "post_standard_errors_from_exact"].abs()
    return (
        f"No policy scores more than {best.expected_score:.5f} on average: γ = 1 finds it, which sticks in "
        f"{best.n_sticking} of {best.rules.n_states} states."
        "\n\n"
        "The post's program adds γ times the final score once more when it sticks, because its `final_score` is both "
        "the reward of sticking and the value of what comes after. So a rerolled point weighs half of what it should, "
        "which happens to make up for the discount: its policies score "
        f"{exact[PROGRAM, low]:.4f} (γ = {low:g}) and {exact[PROGRAM, high]:.4f} (γ = {high:g}) on average, where the "
        f"correct recursion with the same γ sticks too early and scores {exact[CORRECT, low]:.4f} and "
        f"{exact[CORRECT, high]:.4f}; the post's averages lie within {apart.max():.1f} standard errors of the former, "
        f"and {wrong.min():.1f} or more from the latter."
        "\n\n"
        "Whatever its θ, each γ makes one and the same policy, so that the order of rows with one γ is noise and "
        f"nothing else: two averages of one policy differ by {found.gap:.4f} in the post, "
        f"{found.gap_standard_errors:.1f} standard errors of a difference, and in {found.p_gap:.0%} of all such tables "
        "some pair differs by as much or more. Between the two γ there are "
        f"{exact[PROGRAM, high] - exact[PROGRAM, low]:.4f} points: both averages of the higher one come out above all "
        f"of the lower in {found.p_gammas:.0%} of tables, and the post's whole order in {found.p_order:.0%}. Of the "
        f"variance that one expects among the five averages, noise makes {found.noise_share:.0%}."
    )


def games_per_cpu_second() -> float:
    """Measure how fast the optimal policy plays: the best of four times a million games."""
    agent = DiceAgent()
    return N_TIMED / min(agent.games(0, N_TIMED).seconds for _ in range(4))


def dice_markdown(frame: pd.DataFrame, rate: float) -> str:
    """Write what was found, and the table by both recursions, as Markdown; ``rate`` in games a CPU second."""
    n = int(frame["n_games"].iloc[0])
    errors = frame["post_standard_error_points"]
    first, last = int(frame["first_seed"].min()), int(frame["first_seed"].max()) + n - 1
    lines = [
        f"# Three dice by value iteration (Thanki 2021), played again: {n:,} games a row",
        "",
        f"Seeds {first} to {last}, {n:,} a row in the order of the tables. *Exact* is the mean score of the policy by "
        "linear equations, ± the exact standard error of an average of these games; the distance of a simulated average "
        f"from it is in such errors, that of the post's in those of its {POSTS_GAMES:,} games "
        f"({errors.min():.4f} to {errors.max():.4f}). Times are CPU seconds of a game, solving aside; the post's are of "
        f"its Python, on its machine. In a long run a CPU second plays {rate / 1e6:.1f} million games.",
        "",
        verdict(frame),
    ]
    for name, title in ((PROGRAM, "The post's program"), (CORRECT, "The correct recursion")):
        lines += [
            "",
            f"## {title}",
            "",
            "| θ | γ | sweeps | sticks in | exact | average | worst | best | a game | the post's average | worst | best "
            "| a game |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
        lines += [
            f"| {row['theta']:g} | {row['gamma']:g} | {row['n_sweeps']} | {row['n_sticking']} of 56 | "
            f"{row['exact_score_points']:.4f} ± {row['standard_error_points']:.4f} | "
            f"{row['score_mean_points']:.4f} ({row['standard_errors_from_exact']:+.1f}) | "
            f"{row['score_min_points']} | {row['score_max_points']} | "
            f"{row['seconds_per_game'] * 1e6:.2f} µs | "
            f"{row['post_score_mean_points']:.4f} ({row['post_standard_errors_from_exact']:+.1f}) | "
            f"{row['post_score_min_points']} | {row['post_score_max_points']} | "
            f"{row['post_seconds_per_game'] * 1e6:.0f} µs |"
            for _, row in frame[frame["recursion"] == name].iterrows()
        ]
    return "\n".join(lines) + "\n"


def reproduce_dice(seeds: Sequence[int], folder: Path, settings: Mapping[str, Any]) -> str:
    """Play the table, write the folder, and return its text.

    Parameters
    ----------
    seeds : sequence of int
        Of the first row, see :func:`rows`.
    folder : Path
        Where tables, text, pictures and manifest are written.
    settings : mapping
        What the manifest says of the command's options.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    make_folder(folder, "output")
    earlier_manifest(folder / MANIFEST)
    made_by = provenance()
    played = rows(seeds)
    frame, grid = dice_frame(played), grid_frame()
    rate = games_per_cpu_second()
    text = dice_markdown(frame, rate)
    write_csv(frame, folder / "dice.csv")
    write_csv(grid, folder / "grid.csv")
    write_csv(scores_frame(played), folder / "games.csv")
    write_text(text, folder / "dice.md")
    save(grid_figure(grid, PROGRAM, CORRECT), folder / "dice.png")
    save(table_figure(frame, PROGRAM, CORRECT), folder / "table.png")
    contents = {
        **made_by,
        **settings,
        "first_seeds": {
            f"{row.recursion}, θ = {row.reported.theta:g}, γ = {row.reported.gamma:g}": row.first_seed
            for row in played
        },
        "n_games_played": sum(len(row.scores) for row in played),
        "games_per_cpu_second": round(rate),
    }
    write_manifest(contents, folder / MANIFEST)
    return text
