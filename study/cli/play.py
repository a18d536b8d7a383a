"""The command that plays games of one agent: play."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from thetafront.study.cli.options import (
    JsonOption,
    LayoutOption,
    SetOption,
    ThetaOption,
    agent_names,
)
from thetafront.study.cli.program import app, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import JobsOption, whole
from thetafront.study.terminal.console import console, print_text

if TYPE_CHECKING:
    from thetafront.agents.agent import Outcome

MAX_GAMES = 1_000_000
MAX_SIDE_BY_SIDE = 64
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
    seed: Annotated[
        int, whole("Seed of the first game; later games have the seeds that follow.")
    ] = 0,
    side_by_side: Annotated[
        int | None,
        whole(
            "Play this many games with consecutive seeds side by side, as validation does.",
            show_default="each alone",
        ),
    ] = None,
    jobs: JobsOption = None,
    json_: JsonOption = False,
) -> None:
    """Play games with one agent and summarize them."""
    from thetafront.agents.agent import warm
    from thetafront.agents.catalog import AGENTS
    from thetafront.study.cli.train import have_learned
    from thetafront.study.experiments.agent_parser import build_agent, build_defined_agent, notes_on
    from thetafront.study.experiments.failures import (
        counted_as,
        failure_rate_json,
        left_out_text,
        rate_text,
        split,
    )
    from thetafront.study.experiments.play_summary import SCORE, PlaySummary
    from thetafront.study.experiments.players import BuiltinPlayer
    from thetafront.study.experiments.registry import experiment as find_experiment
    from thetafront.study.experiments.registry import is_definition
    from thetafront.study.run.first_games import has_moves
    from thetafront.study.run.progress import PREPARING
    from thetafront.study.run.workers import PlayError, check_jobs, play_all
    from thetafront.study.terminal.progress import ProgressLine

    check_range("games", games, 1, MAX_GAMES)
    n_together = 1 if side_by_side is None else side_by_side
    check_range("side by side", n_together, 1, MAX_SIDE_BY_SIDE)
    n_jobs = min(check_jobs(jobs), games)
    if not 0 <= seed < 2**62:
        raise InputError(f"seed must be between 0 and 2**62 - 1 (got {seed})")
    is_known = agent in AGENTS or not is_definition(agent)
    defined = None if is_known else find_experiment(agent)
    if defined is not None and isinstance(defined.player, BuiltinPlayer):
        fixed = [f"{name}={value}" for name, value in defined.fixed.items()]
        player, params = build_agent(defined.player.agent, theta, [*fixed, *(set_ or ())], layout)
    elif defined is not None:
        if layout is not None:
            raise InputError(
                f"layout must be left out for {agent}, which has no maze (got {layout!r})"
            )
        player, params = build_defined_agent(defined, theta, set_ or ())
    else:
        player, params = build_agent(agent, theta, set_ or (), layout)
    if n_together > 1 and player.n_side_by_side == 1:
        able = ", ".join(name for name, each in AGENTS.items() if each.n_side_by_side > 1)
        raise InputError(
            f"side by side must be 1 for {agent} (got {n_together}); {able} can play more"
        )
    for note in notes_on(player):
        print(note, file=sys.stderr)
    outcomes: dict[int, Outcome] = {}
    have_learned(player)
    with working(PREPARING):
        warm(player)
    with ProgressLine(console(stderr=True)) as bar:
        for finished in play_all(player, range(seed, seed + games), n_jobs, n_together):
            if finished.error:
                raise PlayError(f"game {finished.key}: {finished.error}")
            outcomes |= {game.seed: game for game in finished.games}
            bar.update(len(outcomes) / games, "", [f"games {len(outcomes):,}/{games:,}"])
    params |= player.depends_on
    goal = defined.goal if defined is not None and defined.player.is_external else None
    games_by_seed, failures = split(
        dict(sorted(outcomes.items())), None if goal is None else goal.penalty
    )
    if not (played := list(games_by_seed.values())):
        raise PlayError(f"{left_out_text(failures, 0)}; no game ended")
    if defined is not None and goal is not None:
        settled = defined.settled(has_moves(*played)) if defined.is_open else defined
        summary = PlaySummary(agent, params, played, (goal,), (settled.cost,))
    else:
        summary = PlaySummary.from_agent(agent, player, params, played)
    if json_:
        failed = [game.to_row() for game in failures.values()]
        rate = failure_rate_json(len(failures), len(outcomes))
        print(json.dumps(summary.json() | rate | ({"failed": failed} if failed else {})))
        return
    print_text(console(), summary.text())
    if failures:
        rate_now = f"{rate_text(len(failures), len(outcomes))} (95% interval)"
        console().print(f"{rate_now}; {counted_as(goal or SCORE)}")
        for game in list(failures.values())[:N_REASONS]:
            console().print(f"  {game.error}")
