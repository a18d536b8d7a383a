"""The example in one folder: calibrate, time, play, and write tables, text and figures."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from study.report.tables import write_csv
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
from study.reproduce.reproduction import Reproduction, Results
from study.text import counted

CALIBRATION = "calibration.csv"


def reproduce(
    run: Reproduction[Game2048],
    seeds: Sequence[int],
    design: Design,
    settings: Mapping[str, Any],
    clock: Clock = time.thread_time,
) -> str:
    """Play what is missing of a design, write all files, and return the text.

    Decisions are timed again; existing games and calibration are kept. InputError if the folder's
    calibration cannot be read.
    """
    folder = run.output.path
    path = folder / CALIBRATION
    n_missing = len(set(design.widenings) - set(read_calibration(path)))
    message = f"timing decisions again (half a minute); {CALIBRATION} is kept"
    if n_missing:
        settings_ = counted(n_missing, "setting")
        message = f"calibrating {settings_} (a minute or two), and timing decisions"
    run.out.print(f"before the games: {message}", soft_wrap=True)
    calibration = calibrated(design.widenings, path, design.n_calibration_rounds, clock)
    timings = time_design(design, clock)
    times = timings_frame(timings)
    write_csv(times, folder / "timings.csv")

    agents: dict[str, Agent] = dict(plain_agents(design.simulations))
    agents |= widening_agents(calibration) | exploration_agents(design)
    games = run.play(agents, seeds)

    points = points_frame(design.simulations, games)
    budgets = equal_time_frame(design.simulations, points, games, budgets_of(points))
    widening = widening_frame(calibration, games)
    exploration = exploration_frame(design, games)
    results = Results(
        "mcts",
        mcts_markdown(points, timings, budgets, widening, exploration, design, seeds),
        {"mcts": points, "equal_time": budgets, "widening": widening, "exploration": exploration},
        {
            "mcts": score_figure(points),
            "execution_time": execution_time_figure(times),
            "equal_time": equal_time_figure(points),
            "widening": widening_figure(widening, design),
        },
    )
    run.write(results, settings)
    return results.text
