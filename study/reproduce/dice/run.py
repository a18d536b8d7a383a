"""Three dice in one folder: play the table, and write tables, text, figures and manifest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thetafront.agents.dice.agent import DiceAgent
from thetafront.study.report.tables import check_table
from thetafront.study.reproduce.dice.figures import grid_figure, table_figure
from thetafront.study.reproduce.dice.report import dice_markdown
from thetafront.study.reproduce.dice.table import dice_frame, grid_frame, play_rows, scores_frame
from thetafront.study.reproduce.reproduction import GAMES, ResultFolder, Results

N_TIMED = 1_000_000


def games_per_cpu_second() -> float:
    """Measure the rate of the optimal policy's games: the best of four million-game runs."""
    agent = DiceAgent()
    return N_TIMED / min(agent.games(0, N_TIMED).seconds for _ in range(4))


def reproduce_dice(seeds: Sequence[int], folder: Path, settings: Mapping[str, Any]) -> str:
    """Play the table on seeds from the first row's on, write all files, and return the text."""
    output = ResultFolder.made(folder)
    check_table(folder / GAMES, "recursion")  # a ledger of another reproduction, say
    played = play_rows(seeds)
    frame, grid, rate = dice_frame(played), grid_frame(), games_per_cpu_second()
    results = Results(
        "dice",
        dice_markdown(frame, rate),
        {"dice": frame, "grid": grid, "games": scores_frame(played)},
        {"dice": grid_figure(grid), "table": table_figure(frame)},
    )
    first_seeds = {
        f"{row.recursion}, θ = {row.post.theta:g}, γ = {row.post.gamma:g}": row.first_seed
        for row in played
    }
    contents = {
        **settings,
        "first_seeds": first_seeds,
        "n_games_played": sum(len(row.scores) for row in played),
        "games_per_cpu_second": round(rate),
    }
    output.write(results, contents)
    return results.text
