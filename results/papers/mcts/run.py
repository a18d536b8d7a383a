"""The example in one folder: calibrate, time, play, and write tables, text and figures."""

import sys
import time

from results.papers import paper
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
from thetafront.agents.agent import Agent

CALIBRATION = "calibration.csv"
TIMINGS = "timing_rounds.csv"


def say(text: str) -> None:
    """Tell on standard error what is done."""
    print(text, file=sys.stderr, flush=True)


def reproduce(run: paper.Paper, design: Design, clock: Clock = time.thread_time) -> None:
    """Play what is missing of a design, and write all files.

    Existing games, calibration and timings are kept. InputError if the folder's calibration or
    timings cannot be read.
    """
    folder, seeds = run.output, run.seeds
    path = folder / CALIBRATION
    n_missing = len(set(design.widenings) - set(read_calibration(path)))
    timings = kept_timings(folder / TIMINGS, design)
    if n_missing:
        say(f"calibrating {n_missing} settings (a minute or two)")
    else:
        say(f"{CALIBRATION} is kept; move it away to calibrate again")
    calibration = calibrated(design.widenings, path, design.n_calibration_rounds, clock)
    if timings is None:
        say("timing decisions (half a minute)")
        rounds_frame(time_design(design, clock)).to_csv(folder / TIMINGS, index=False)
        timings = kept_timings(folder / TIMINGS, design)
        assert timings is not None
    else:
        say(f"{TIMINGS} is kept; move it away to time again")
    times = timings_frame(timings)

    agents: dict[str, Agent] = points.plain_agents(design.simulations)
    agents |= widening_agents(calibration) | {case.name: case.agent for case in design.explored}
    games = run.play(agents, seeds)
    readings = readings_frame(
        design,
        run.play(reading_agents(design), seeds_of_readings(seeds)),
    )

    frame = points.points_frame(design.simulations, games)
    budgets = points.budgets_of(frame)
    leaders = points.equal_time_frame(design.simulations, frame, games, budgets)
    widening = widening_frame(calibration, games)
    exploration = points.exploration_frame(design, games)
    run.write(
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
