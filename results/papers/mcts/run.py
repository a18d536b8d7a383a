"""The example in one folder: calibrate, time, play, and write tables, text and figures."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from results.papers.mcts import figures, points
from results.papers.mcts.calibration import calibrated, read_calibration
from results.papers.mcts.design import Design, Widened
from results.papers.mcts.readings import (
    reading_agents,
    readings_frame,
    seeds_of_readings,
)
from results.papers.mcts.report import mcts_markdown
from results.papers.mcts.timing import (
    Clock,
    kept_timings,
    rounds_frame,
    time_design,
    timings_frame,
)
from results.papers.mcts.widening import widening_agents, widening_frame
from results.papers.reproduction import Reproduction, Results
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.report.tables import write_csv
from thetafront.study.text import counted

CALIBRATION = "calibration.csv"
TIMINGS = "timing_rounds.csv"


def reproduce(
    run: Reproduction[Game2048],
    seeds: Sequence[int],
    design: Design,
    settings: Mapping[str, Any],
    clock: Clock = time.thread_time,
) -> str:
    """Play what is missing of a design, write all files, and return the text.

    Existing games, calibration and timings are kept. InputError if the folder's calibration or
    timings cannot be read.
    """
    folder = run.output.path
    path = folder / CALIBRATION
    n_missing = len(set(design.widenings) - set(read_calibration(path)))
    timings = kept_timings(folder / TIMINGS, design)
    if n_missing:
        settings_ = counted(n_missing, "setting")
        run.out.print(f"calibrating {settings_} (a minute or two)")
    else:
        run.out.print(f"{CALIBRATION} is kept; move it away to calibrate again")
    calibration = calibrated(design.widenings, path, design.n_calibration_rounds, clock)
    if timings is None:
        run.out.print("timing decisions (half a minute)")
        write_csv(rounds_frame(time_design(design, clock)), folder / TIMINGS)
        timings = kept_timings(folder / TIMINGS, design)
        assert timings is not None
    else:
        run.out.print(f"{TIMINGS} is kept; move it away to time again")
    times = timings_frame(timings)

    agents: dict[str, Agent] = points.plain_agents(design.simulations)
    agents |= widening_agents(calibration) | {case.name: case.agent for case in design.explored}
    games = run.play(agents, seeds)
    readings = readings_frame(
        design,
        run.play(reading_agents(design), seeds_of_readings(seeds), "readings of the source"),
    )

    frame = points.points_frame(design.simulations, games)
    budgets = points.budgets_of(frame)
    leaders = points.equal_time_frame(design.simulations, frame, games, budgets)
    widening = widening_frame(calibration, games)
    exploration = points.exploration_frame(design, games)
    results = Results(
        "mcts",
        mcts_markdown(frame, timings, leaders, widening, exploration, readings, design, seeds),
        {
            "mcts": frame,
            "timings": times,
            "equal_time": leaders,
            "widening": widening,
            "exploration": exploration,
            "readings": readings,
        },
        {
            "mcts": figures.score_figure(frame),
            "execution_time": figures.execution_time_figure(times),
            "equal_time": figures.equal_time_figure(frame),
            "widening": figures.widening_figure(widening, design, Widened.STATES),
            "action_widening": figures.widening_figure(widening, design, Widened.ACTIONS),
        },
    )
    run.write(results, settings)
    return results.text
