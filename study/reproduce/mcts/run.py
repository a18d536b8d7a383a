"""The example in one folder: calibrate, time, play, and write tables, text and figures."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from study.report.tables import write_csv
from study.reproduce.mcts import figures, points
from study.reproduce.mcts.calibration import calibrated, read_calibration
from study.reproduce.mcts.design import Design
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

    agents: dict[str, Agent] = points.plain_agents(design.simulations)
    agents |= widening_agents(calibration) | {case.name: case.agent for case in design.explored}
    games = run.play(agents, seeds)

    frame = points.points_frame(design.simulations, games)
    budgets = points.budgets_of(frame)
    leaders = points.equal_time_frame(design.simulations, frame, games, budgets)
    widening = widening_frame(calibration, games)
    exploration = points.exploration_frame(design, games)
    results = Results(
        "mcts",
        mcts_markdown(frame, timings, leaders, widening, exploration, design, seeds),
        {"mcts": frame, "equal_time": leaders, "widening": widening, "exploration": exploration},
        {
            "mcts": figures.score_figure(frame),
            "execution_time": figures.execution_time_figure(times),
            "equal_time": figures.equal_time_figure(frame),
            "widening": figures.widening_figure(widening, design),
        },
    )
    run.write(results, settings)
    return results.text
