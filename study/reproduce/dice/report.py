"""The findings on three dice, as Markdown."""

import pandas as pd

from thetafront.agents.dice.agent import DiceAgent
from thetafront.study.report.sections import document, frame_table
from thetafront.study.reproduce.dice.ranking import order_noise
from thetafront.study.reproduce.dice.table import CORRECT, POST, POSTS_GAMES, PROGRAM

COLUMNS = (
    ("θ", "{theta:g}"),
    ("γ", "{gamma:g}"),
    ("sweeps", "{n_sweeps}"),
    ("sticks in", "{n_sticking} of 56"),
    ("exact", "{exact_score_points:.4f} ± {standard_error_points:.4f}"),
    ("average", "{score_mean_points:.4f} ({standard_errors_from_exact:+.1f})"),
    ("worst", "{score_min_points}"),
    ("best", "{score_max_points}"),
    ("a game", "{micros:.2f} µs"),
    ("the post's average", "{post_score_mean_points:.4f} ({post_standard_errors_from_exact:+.1f})"),
    ("worst", "{post_score_min_points}"),
    ("best", "{post_score_max_points}"),
    ("a game", "{post_micros:.0f} µs"),
)


def findings(frame: pd.DataFrame) -> list[str]:
    """Say which policy is best, what the program does, and how much of its order is noise."""
    best = DiceAgent()
    exact = frame.groupby(["recursion", "gamma"])["exact_score_points"].first()
    low, high = sorted({row.gamma for row in POST})
    noise = order_noise(frame[frame["recursion"] == PROGRAM])
    distance = frame["post_standard_errors_from_exact"].abs().groupby(frame["recursion"])
    gain = exact[PROGRAM, high] - exact[PROGRAM, low]
    return [
        f"No policy scores more than {best.expected_score:.5f} on average. γ = 1 finds it: it "
        f"sticks in {best.n_sticking} of {best.rules.n_states} states.",
        "When it sticks, the post's program adds γ times the final score once more, because its "
        "`final_score` is both the reward of sticking and the value of the final state. A "
        "rerolled point so weighs half of what it should, which happens to make up for the "
        f"discount: the program's policies score {exact[PROGRAM, low]:.4f} (γ = {low:g}) and "
        f"{exact[PROGRAM, high]:.4f} (γ = {high:g}) on average. With the same γ the correct "
        f"recursion sticks too early and scores {exact[CORRECT, low]:.4f} and "
        f"{exact[CORRECT, high]:.4f}. The post's averages lie within "
        f"{distance.max()[PROGRAM]:.1f} standard errors of the former, and "
        f"{distance.min()[CORRECT]:.1f} or more from the latter.",
        "Each γ gives one policy, whatever θ is, so the order of rows with one γ is pure noise. "
        f"Two averages of one policy differ by {noise.gap:.4f} in the post, "
        f"{noise.gap_standard_errors:.1f} standard errors of a difference; in {noise.p_gap:.0%} "
        f"of such tables some pair differs by as much or more. The two γ differ by {gain:.4f} "
        "points: both averages of the higher γ lie above all of the lower in "
        f"{noise.p_gammas:.0%} of tables, and the post's whole order occurs in "
        f"{noise.p_order:.0%}. Noise makes {noise.noise_share:.0%} of the expected variance among "
        "the five averages.",
    ]


def dice_markdown(frame: pd.DataFrame, rate: float) -> str:
    """Write the findings and the tables as Markdown; ``rate`` in games a CPU second."""
    n = int(frame["n_games"].iloc[0])
    errors = frame["post_standard_error_points"]
    first, last = int(frame["first_seed"].min()), int(frame["first_seed"].max()) + n - 1
    method = (
        f"Seeds {first} to {last}, {n:,} a row in the order of the tables. *Exact* is the "
        "policy's mean score by linear equations, ± the exact standard error of an average of "
        "these games. In parentheses: how many standard errors an average lies from the exact "
        f"mean; those of the post's {POSTS_GAMES:,} games are {errors.min():.4f} to "
        f"{errors.max():.4f}. Times are CPU seconds of a game, without solving; the post's are of "
        f"its Python, on its machine. In a long run a CPU second plays {rate / 1e6:.1f} million "
        "games."
    )
    shown = frame.assign(
        micros=1e6 * frame["seconds_per_game"], post_micros=1e6 * frame["post_seconds_per_game"]
    )
    tables = [
        f"## {title}\n\n"
        + frame_table(shown[shown["recursion"] == recursion], COLUMNS, "r" * len(COLUMNS))
        for recursion, title in (
            (PROGRAM, "The post's program"),
            (CORRECT, "The correct recursion"),
        )
    ]
    return document(
        f"Three dice by value iteration (Thanki 2021), played again: {n:,} games a row",
        method,
        *findings(frame),
        *tables,
    )
