"""Commands that play an agent: play, act, schedule, watch."""

import json
import secrets
import shlex
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
from thetafront.study.run.options import JobsOption, decimal, whole
from thetafront.study.terminal.console import console, print_table, print_text

if TYPE_CHECKING:
    from thetafront.agents.agent import Outcome

MAX_GAMES = 1_000_000
MAX_GAMES_SHOWN = 100_000  # for `schedule`
MAX_REPEATS = 100_000
MAX_STREAM = 2**64 - 1
MAX_SEED = 2**63 - 1
ALIASES = {"pacman": "pacman_mdp"}
MAX_SIDE_BY_SIDE = 64
N_REASONS = 3  # maximum number of failed games whose errors are printed

AgentOption = Annotated[
    str, typer.Option("--agent", help="Name of a 2048 agent; see thetafront agents.")
]


@app.command()
def play(
    agent: Annotated[
        str,
        typer.Argument(
            help="Agent name (see thetafront agents), or your own definition: FILE.py, MODULE:NAME "
            "or FILE.toml.",
            autocompletion=agent_names,
        ),
    ],
    theta: ThetaOption = None,
    set_: SetOption = None,
    layout: LayoutOption = None,
    games: Annotated[int, whole("Number of games.")] = 10,
    seed: Annotated[
        int, whole("Seed of the first game; later games use the seeds that follow.")
    ] = 0,
    side_by_side: Annotated[
        int | None,
        whole(
            "Number of games with consecutive seeds to play side by side, as validation does.",
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
    from thetafront.study.experiments.registry import experiment as find_experiment
    from thetafront.study.experiments.registry import is_definition
    from thetafront.study.run.dispatch import play_here
    from thetafront.study.run.first_games import has_moves
    from thetafront.study.run.progress import PREPARING, ProgressDisplay
    from thetafront.study.run.source import TaskList
    from thetafront.study.run.workers import Finished, PlayError, Task, check_jobs

    check_range("games", games, 1, MAX_GAMES)
    n_together = 1 if side_by_side is None else side_by_side
    check_range("side by side", n_together, 1, MAX_SIDE_BY_SIDE)
    n_jobs = min(check_jobs(jobs), games)
    if not 0 <= seed < 2**62:
        raise InputError(f"seed must be between 0 and 2**62 - 1 (got {seed})")
    is_known = agent in AGENTS or not is_definition(agent)
    defined = None if is_known else find_experiment(agent)
    own = defined if defined is not None and defined.player.is_external else None
    if own is None:
        name, fixed = (agent, {}) if defined is None else (defined.player.name, defined.fixed)
        settings = [*(f"{key}={value}" for key, value in fixed.items()), *(set_ or ())]
        player, params = build_agent(name, theta, settings, layout)
    elif layout is not None:
        raise InputError(f"layout must be left out for {agent}, which has no maze (got {layout!r})")
    else:
        player, params = build_defined_agent(own, theta, set_ or ())
    if n_together > 1 and player.n_side_by_side == 1:
        able = ", ".join(name for name, each in AGENTS.items() if each.n_side_by_side > 1)
        raise InputError(
            f"side by side must be 1 for {agent} (got {n_together}); more is possible for {able}"
        )
    for note in notes_on(player):
        print(note, file=sys.stderr)
    outcomes: dict[int, Outcome] = {}
    have_learned(player)
    with working(PREPARING):
        warm(player)

    def store(finished: Finished[int]) -> None:
        if finished.error:
            raise PlayError(f"game {finished.key}: {finished.error}")
        outcomes.update({game.seed: game for game in finished.games})

    seeds = range(seed, seed + games)
    groups = [seeds[k : k + n_together] for k in range(0, games, n_together)]
    tasks = [Task(some[0], player, some, side_by_side=len(some) > 1) for some in groups]
    with ProgressDisplay(console(stderr=True)) as display:
        play_here(TaskList(tasks, store), n_jobs, display)
    params |= player.depends_on
    penalty = None if own is None else own.goal.penalty
    games_by_seed, failures = split(dict(sorted(outcomes.items())), penalty)
    if not (played := list(games_by_seed.values())):
        raise PlayError(f"{left_out_text(failures, 0)}; no game ended")
    if own is None:
        summary = PlaySummary.from_agent(agent, player, params, played)
    else:
        settled = own.settled(has_moves(*played)) if own.is_open else own
        summary = PlaySummary(agent, params, played, (own.goal,), (settled.cost,))
    if json_:
        failed = [game.to_row() for game in failures.values()]
        rate = failure_rate_json(len(failures), len(outcomes))
        print(json.dumps(summary.json() | rate | ({"failed": failed} if failed else {})))
        return
    print_text(console(), summary.text())
    if failures:
        rate_now = f"{rate_text(len(failures), len(outcomes))} (95% interval)"
        console().print(f"{rate_now}; {counted_as(SCORE if own is None else own.goal)}")
        for game in list(failures.values())[:N_REASONS]:
            console().print(f"  {game.error}")


@app.command()
def act(
    board: Annotated[
        str,
        typer.Option(
            help="16 tiles, row by row, with . for an empty cell; / and , may separate tiles."
        ),
    ],
    agent: AgentOption = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    stream: Annotated[int, whole("Random stream for the decision.")] = 0,
    repeats: Annotated[
        int, whole("Repeat the decision with this many other streams, for at most 2 s.")
    ] = 200,
    json_: JsonOption = False,
) -> None:
    """Inspect one decision: values, standard errors, cost.

    A value's standard error is its standard deviation over repeated decisions with other random
    streams.
    """
    from thetafront.agents.agent import warm
    from thetafront.engine.twenty48 import render
    from thetafront.study.cli.train import have_learned
    from thetafront.study.experiments.agent_parser import build_agent_2048
    from thetafront.study.run.progress import PREPARING
    from thetafront.study.terminal.inspect import (
        inspect,
        inspection_json,
        inspection_table,
        inspection_text,
        parse_board,
    )
    from thetafront.study.terminal.tiles import MEDIUM, board_picture

    check_range("stream", stream, 0, MAX_STREAM)
    check_range("repeats", repeats, 2, MAX_REPEATS)
    player, params = build_agent_2048(agent, theta, set_ or ())
    packed = parse_board(board)
    have_learned(player)
    with working(PREPARING) as shown:
        warm(player)
        shown.update("deciding")
        found = inspect(player, packed, stream, repeats)
    if json_:
        print(json.dumps(inspection_json(found, agent, params)))
        return
    out = console()
    # Tiles need colours, which only a terminal has.
    out.print(board_picture(found.board, MEDIUM) if out.is_terminal else render(found.board))
    out.print()
    print_table(out, inspection_table(found))
    out.print()
    print_text(out, inspection_text(found))


@app.command()
def schedule(
    agent: AgentOption = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    games: Annotated[
        int, whole("Games to play to show how the schedule is used; 0 for none.")
    ] = 10,
    seed: Annotated[
        int, whole("Seed of the first game; later games use the seeds that follow.")
    ] = 0,
    json_: JsonOption = False,
) -> None:
    """Show a playout schedule, and how games use it."""
    from thetafront.agents.twenty48.mcmdp import ScheduledAgent
    from thetafront.study.experiments.agent_parser import build_agent_2048
    from thetafront.study.terminal.progress import ProgressLine
    from thetafront.study.terminal.schedule import (
        Use,
        evaluations_in_game,
        get_schedule,
        schedule_json,
        schedule_table,
        use_text,
    )

    check_range("games", games, 0, MAX_GAMES_SHOWN)
    check_range("seed", seed, 0, MAX_SEED - games)
    player, params = build_agent_2048(agent, theta, set_ or ())
    playouts = get_schedule(agent, player)
    n_games = games if isinstance(player, ScheduledAgent) else 0
    out, played = console(), []
    with ProgressLine(console(stderr=True)) as bar:
        for n_played in range(n_games):
            bar.update(n_played / n_games, "", [f"games {n_played:,}/{n_games:,}"])
            played.append(evaluations_in_game(player, seed + n_played))
    use = Use.from_games(playouts, played) if played else None
    if json_:
        print(json.dumps(schedule_json(agent, params, playouts, use, seed)))
        return
    print_table(out, schedule_table(playouts, use))
    if use is not None:
        out.print()
        print_text(out, use_text(use))
    elif games:
        out.print()
        out.print(f"no game was played: {agent} does not follow its schedule on every board")


@app.command()
def watch(
    agent: Annotated[
        str,
        typer.Argument(
            help="Name of a 2048 or Pacman agent; see thetafront agents.",
            autocompletion=agent_names,
        ),
    ] = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    layout: LayoutOption = None,
    seed: Annotated[
        int | None, whole("Seed of the game.", "--seed", show_default="a random one")
    ] = None,
    replay: Annotated[
        int | None, whole("Seed of a game from thetafront play, to watch it; same as --seed.")
    ] = None,
    speed: Annotated[float, decimal("Initial speed in moves per second, 0.5 to 1000.")] = 5.0,
    human: Annotated[
        bool,
        typer.Option("--human", help="Play 2048 yourself; the agent gives hints."),
    ] = False,
) -> None:
    """Watch an agent play in the terminal, or play yourself."""
    from thetafront.agents.pacman.agent import PacmanAgent
    from thetafront.agents.twenty48.agent import Agent2048
    from thetafront.study.cli.train import have_learned
    from thetafront.study.experiments.agent_parser import build_agent, check_plays, notes_on
    from thetafront.study.terminal import pacman, twenty48
    from thetafront.study.terminal.pace import FASTEST, SLOWEST

    if seed is not None and replay is not None:
        raise InputError("--seed and --replay cannot be combined")
    if not SLOWEST <= speed <= FASTEST:
        raise InputError(f"speed must be between {SLOWEST:g} and {FASTEST:g} (got {speed:g})")
    given = seed if seed is not None else replay
    chosen = given if given is not None else secrets.randbelow(10**9)
    check_range("seed", chosen, 0, MAX_SEED)
    agent = ALIASES.get(agent, agent)
    check_plays(agent, Agent2048, PacmanAgent)
    player, _ = build_agent(agent, theta, set_ or (), layout)
    for note in notes_on(player):
        print(note, file=sys.stderr)

    have_learned(player)
    words = [agent, *(["--theta", theta] if theta is not None else [])]
    words += [word for setting in set_ or () for word in ("--set", setting)]
    words += ["--layout", layout] if layout is not None else []
    shown = " ".join(words)
    words += ["--human", "--seed"] if human else ["--replay"]
    again = shlex.join(["thetafront", "watch", *words, str(chosen)])
    if isinstance(player, PacmanAgent):
        if human:
            raise InputError(f"--human cannot be combined with {agent}: --human is for 2048 only")
        last = pacman.play_in_terminal(player, shown, chosen, speed)
    else:
        assert isinstance(player, Agent2048)
        last = twenty48.play_in_terminal(player, shown, chosen, speed, human=human)
    print_text(console(), f"{last}\nto repeat: {again}")
