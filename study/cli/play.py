"""The command that plays games of one agent: play."""

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thetafront.study.cli.options import (
    JsonOption,
    LayoutOption,
    SetOption,
    ThetaOption,
    agent_names,
)
from thetafront.study.cli.program import app, console, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import JobsOption, whole

if TYPE_CHECKING:
    from thetafront.agents.agent import Outcome
    from thetafront.study.experiments.objectives import Cost, Goal

LEAST_WHOLE = 100
MOST_GAMES = 1_000_000
MOST_SIDE_BY_SIDE = 64
LABEL_WIDTH = 13
N_REASONS = 3  # shown, of games that failed


@app.command()
def play(
    agent: Annotated[
        str,
        typer.Argument(
            help="Name of an agent (see thetafront agents), or a definition of your own: FILE.py, "
            "MODULE:NAME or FILE.toml.",
            autocompletion=agent_names,
        ),
    ],
    theta: ThetaOption = None,
    set_: SetOption = None,
    layout: LayoutOption = None,
    games: Annotated[int, whole("Number of games.")] = 10,
    seed: Annotated[int, whole("Seed of the first game; the others count up from it.")] = 0,
    side_by_side: Annotated[
        int | None,
        whole(
            "Play so many games with consecutive seeds side by side, as validation does.",
            show_default="each alone",
        ),
    ] = None,
    jobs: JobsOption = None,
    json_: JsonOption = False,
) -> None:
    """Play games with one agent and summarize them."""
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    from thetafront.agents.agent import warm
    from thetafront.agents.catalog import AGENTS
    from thetafront.study.cli.train import have_learned
    from thetafront.study.experiments.agent_parser import agent_of, defined_agent_of, notes_on
    from thetafront.study.experiments.failures import (
        counted_as,
        failure_rate_json,
        left_out_text,
        rate_text,
        split,
    )
    from thetafront.study.experiments.play_summary import ANY_GOAL, summary_of
    from thetafront.study.experiments.players import BuiltinPlayer
    from thetafront.study.experiments.registry import experiment as find_experiment
    from thetafront.study.experiments.registry import is_definition
    from thetafront.study.run.first_games import has_moves
    from thetafront.study.run.progress import PREPARING
    from thetafront.study.run.workers import PlayError, check_jobs, play_all

    check_range("games", games, 1, MOST_GAMES)
    n_together = 1 if side_by_side is None else side_by_side
    check_range("side by side", n_together, 1, MOST_SIDE_BY_SIDE)
    n_jobs = min(check_jobs(jobs), games)
    if not 0 <= seed < 2**62:
        raise InputError(f"seed: {seed} given, 0 to 2**62 - 1 allowed")
    is_known = agent in AGENTS or not is_definition(agent)
    defined = None if is_known else find_experiment(agent)
    if defined is not None and isinstance(defined.player, BuiltinPlayer):
        fixed = [f"{name}={value}" for name, value in defined.fixed.items()]
        player, params = agent_of(defined.player.agent, theta, [*fixed, *(set_ or ())], layout)
    elif defined is not None:
        if layout is not None:
            raise InputError(f"layout: {layout!r} given for {agent}, which has no maze")
        player, params = defined_agent_of(defined, theta, set_ or ())
    else:
        player, params = agent_of(agent, theta, set_ or (), layout)
    if n_together > 1 and player.n_side_by_side == 1:
        able = ", ".join(name for name, each in AGENTS.items() if each.n_side_by_side > 1)
        raise InputError(f"side by side: {n_together} games of {agent} given; {able} allowed")
    for note in notes_on(player):
        print(note, file=sys.stderr)
    outcomes: dict[int, Outcome] = {}
    have_learned(player)
    with working(PREPARING):
        warm(player)
    columns = [
        *Progress.get_default_columns()[:-1],
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    err = console(stderr=True)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("games", total=games)
        for finished in play_all(player, range(seed, seed + games), n_jobs, n_together):
            if finished.error:
                raise PlayError(f"game {finished.key}: {finished.error}")
            outcomes |= {game.seed: game for game in finished.games}
            bar.advance(task, len(finished.games))
    params |= player.made_of
    goal, cost = None, None
    if defined is not None and defined.player.is_external:
        goal = defined.goal
    penalty = None if goal is None else goal.penalty
    games_by_seed, failures = split(dict(sorted(outcomes.items())), penalty)
    if not (played := list(games_by_seed.values())):
        raise PlayError(f"{left_out_text(failures, 0)}; no game ended")
    if defined is not None and goal is not None:
        if defined.is_open:
            defined = defined.settled(has_moves(*played))
        cost = defined.cost
    summary = summary_of(agent, params, played, goal, cost)
    if failures:
        summary |= failure_rate_json(len(failures), len(outcomes))
        summary["failed"] = [game.to_row() for game in failures.values()]
    if json_:
        print(json.dumps(summary))
    else:
        console().print(summary_text(summary, goal, cost), soft_wrap=True)
    if failures and not json_:
        rate = f"{rate_text(len(failures), len(outcomes))} (95% interval)"
        console().print(f"{rate}; {counted_as(goal or ANY_GOAL)}", soft_wrap=True)
        for game in list(failures.values())[:N_REASONS]:
            console().print(f"  {game.error}", soft_wrap=True)


def summary_text(
    summary: Mapping[str, Any], goal: "Goal | None" = None, cost: "Cost | None" = None
) -> str:
    """Return a summary of :func:`study.experiments.play_summary.summary_of` as lines of text.

    With the goal and the cost that it was made by, if any.
    """
    from thetafront.study.experiments.objectives import WIN_RATE
    from thetafront.study.experiments.play_summary import ANY_COST, ANY_GOAL

    if goal is not None or ANY_COST.name in summary:
        return summary_text_by(goal or ANY_GOAL, cost or ANY_COST, summary)
    score, rate = summary["score"], summary.get("win_rate")
    # Large scores have no decimals, small ones two, exact expectations five.
    largest, whole = max(score["min"], score["max"], key=abs), isinstance(score["min"], int)
    digits = 0 if abs(largest) >= LEAST_WHOLE else 2 if whole else 5
    extremes = (f"{score[end]:,.{0 if whole else digits}f}" for end in ("min", "max"))
    error = "?" if score["sem"] is None else f"{score['sem']:,.{digits}f}"
    lines = [heading_of(summary)]
    if rate is not None:
        interval = WIN_RATE.format.interval(rate["mean"], rate["low95"], rate["high95"])
        lines.append(f"won          {interval}, 95% interval")
    lines.append(
        f"score        {score['mean']:,.{digits}f} ± {error} (standard error), "
        f"{' to '.join(extremes)}"
    )
    if "reach" in summary:
        reached = (f"{tile} {share:.1%}" for tile, share in summary["reach"].items())
        lines.append(f"reached      {', '.join(reached)}")
    lines += [
        f"moves        {summary['n_moves_mean']:,.{digits and 1}f} per game",
        f"time         {time_text(summary['seconds_per_move'])}",
    ]
    if summary.get("playout_moves_per_move"):
        lines.append(
            f"playouts     {summary['playout_moves_per_move']:,.0f} random moves per move, "
            f"{summary['playout_moves_per_second'] / 1e6:,.0f} million per CPU second"
        )
    return "\n".join(lines)


def heading_of(summary: Mapping[str, Any]) -> str:
    """Write the agent, its parameters, and how many games it played."""
    from thetafront.study.text import counted

    params = ", ".join(
        f"{key} {value if isinstance(value, str) else format(value, 'g')}"
        for key, value in summary["params"].items()
    )
    agent = f"{summary['agent']} ({params})" if params else summary["agent"]
    first = summary["games"][0]["seed"]
    return f"{agent}, {counted(summary['n_games'], 'game')} from seed {first}"


def summary_text_by(goal: "Goal", cost: "Cost", summary: Mapping[str, Any]) -> str:
    """Write a summary by a goal and a cost, a labelled line each."""
    from thetafront.agents.external.report import ReportedGame
    from thetafront.study.experiments.game_summary import MatchSummary

    found = summary[goal.name]
    mean, low, high = (
        math.nan if found[key] is None else found[key] for key in ("mean", "low95", "high95")
    )
    text = goal.format.interval_with_unit(mean, low, high)
    if not goal.is_exact:
        text += ", 95% interval"
        if not goal.is_share:
            text += f"; games {' to '.join(goal.format.text(found[end]) for end in ('min', 'max'))}"
    spent = summary[cost.name]
    lines = [(goal.label, text), (cost.label, "not known" if spent is None else cost.text(spent))]
    if goal.is_match:
        lines += MatchSummary(ReportedGame).cells(found).items()
    if "n_moves_mean" in summary:
        lines.append(("moves", f"{summary['n_moves_mean']:,.1f} a game"))
    width = max(LABEL_WIDTH, *(len(label) + 2 for label, _ in lines))
    return "\n".join([heading_of(summary), *(f"{label:{width}}{text}" for label, text in lines)])


def time_text(seconds_per_move: float | None) -> str:
    """Write what a move took."""
    from thetafront.study.experiments.objectives import format_seconds

    if seconds_per_move is None:
        return "not known, since no game was played alone"
    return f"{format_seconds(seconds_per_move)} of CPU per move"
