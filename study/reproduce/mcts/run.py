"""All of it in one folder: calibrate, time, play, and write tables, text and pictures."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from agents.agent import Agent
from study.report.style import save
from study.report.tables import write_csv
from study.reproduce.folder import Reproduction
from study.reproduce.mcts.calibration import calibrated, read_calibration
from study.reproduce.mcts.design import Design
from study.reproduce.mcts.figures import (
    equal_time_figure,
    execution_time_figure,
    score_figure,
    widening_figure,
)
from study.reproduce.mcts.points import (
    budgets_of,
    equal_time_frame,
    exploration_agents,
    exploration_frame,
    plain_agents,
    points_frame,
)
from study.reproduce.mcts.report import mcts_markdown
from study.reproduce.mcts.timing import Clock, time_design, timings_frame
from study.reproduce.mcts.widening import widening_agents, widening_frame
from study.text import counted

CALIBRATION = "calibration.csv"


def reproduce(
    run: Reproduction,
    seeds: Sequence[int],
    design: Design,
    settings: Mapping[str, Any],
    clock: Clock = time.thread_time,
) -> str:
    """Do what is missing of a design in a folder, and write all of it; return the text.

    Times of decisions are taken anew; games and calibration that are there are not.

    Parameters
    ----------
    run : Reproduction
        The folder.
    seeds : sequence of int
        What each agent plays.
    design : Design
        Agents, and what is timed.
    settings : mapping
        What the manifest says of the command's options.
    clock : callable
        CPU seconds of this thread.

    Raises
    ------
    InputError
        If the folder's calibration cannot be read.
    study.run.workers.PlayError
        If a game cannot be played.
    """
    folder = run.folder
    path = folder / CALIBRATION
    n_missing = len(set(design.settings) - set(read_calibration(path)))
    how_long = (
        f"calibrating {counted(n_missing, 'setting')}, which takes a minute or two, and timing decisions"
        if n_missing
        else f"timing decisions anew, which takes half a minute; {CALIBRATION} is kept as it is"
    )
    run.out.print(f"before any game is played: {how_long}", soft_wrap=True)
    chosen = calibrated(design.settings, path, design.n_calibration_rounds, clock)
    timings = time_design(design, clock)
    times = timings_frame(timings)
    write_csv(times, folder / "timings.csv")

    agents: dict[str, Agent] = {}
    agents |= plain_agents(design.simulations)
    agents |= widening_agents(chosen) | exploration_agents(design)
    games = run.play(agents, seeds)

    points = points_frame(design.simulations, games)
    budgets = equal_time_frame(design.simulations, points, games, budgets_of(points))
    widening = widening_frame(chosen, games)
    exploration = exploration_frame(design, games)
    text = mcts_markdown(points, timings, budgets, widening, exploration, design, seeds)
    pictures: dict[str, Figure] = {
        "execution_time": execution_time_figure(times),
        "equal_time": equal_time_figure(points),
        "widening": widening_figure(widening, design),
    }
    for name, figure in pictures.items():
        save(figure, folder / f"{name}.png")
    tables = {
        "mcts": points,
        "equal_time": budgets,
        "widening": widening,
        "exploration": exploration,
    }
    run.write("mcts", text, score_figure(points), tables, settings)
    return text
