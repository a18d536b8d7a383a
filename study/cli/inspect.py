"""Commands that inspect an agent: act, schedule, watch."""

import json
import secrets
import shlex
import sys
from typing import Annotated

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
from thetafront.study.run.options import decimal, whole
from thetafront.study.terminal.console import console, print_table, print_text

MAX_STREAM = 2**64 - 1
MAX_SEED = 2**63 - 1
MAX_GAMES = 100_000
MAX_REPEATS = 100_000
ALIASES = {"pacman": "pacman_mdp"}

AgentOption = Annotated[
    str, typer.Option("--agent", help="Name of an agent for 2048: see thetafront agents.")
]


@app.command()
def act(
    board: Annotated[
        str,
        typer.Option(help="16 tiles in reading order, . if empty; / and , may separate them."),
    ],
    agent: AgentOption = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    stream: Annotated[int, whole("Random stream of the decision.")] = 0,
    repeats: Annotated[
        int, whole("Repeat it with this many other streams, for at most 2 s.")
    ] = 200,
    json_: JsonOption = False,
) -> None:
    """Inspect one decision: values, standard errors, cost.

    The standard error of a value is its standard deviation over repeated decisions with other
    random streams.
    """
    from thetafront.agents.agent import warm
    from thetafront.engine.twenty48 import render
    from thetafront.study.cli.train import have_learned
    from thetafront.study.experiments.agent_parser import agent_2048_of
    from thetafront.study.run.progress import PREPARING
    from thetafront.study.terminal.inspect import (
        board_of,
        inspect,
        inspection_json,
        inspection_table,
        inspection_text,
    )
    from thetafront.study.terminal.tiles import MEDIUM, board_picture

    check_range("stream", stream, 0, MAX_STREAM)
    check_range("repeats", repeats, 2, MAX_REPEATS)
    player, params = agent_2048_of(agent, theta, set_ or ())
    packed = board_of(board)
    have_learned(player)
    with working(PREPARING) as shown:
        warm(player)
        shown.update("deciding")
        found = inspect(player, packed, stream, repeats)
    if json_:
        print(json.dumps(inspection_json(found, agent, params)))
        return
    out = console()
    # Without a terminal there are no colours, which tiles need.
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
    games: Annotated[int, whole("Number of games that show its use; 0 for none.")] = 10,
    seed: Annotated[int, whole("Seed of the first game; the others count up from it.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Show a schedule of playouts, and how games use it."""
    from thetafront.study.experiments.agent_parser import agent_2048_of
    from thetafront.study.terminal.progress import ProgressLine
    from thetafront.study.terminal.schedule import (
        Use,
        evaluations_in_game,
        follows_schedule,
        schedule_json,
        schedule_of,
        schedule_table,
        use_text,
    )

    check_range("games", games, 0, MAX_GAMES)
    check_range("seed", seed, 0, MAX_SEED - games)
    player, params = agent_2048_of(agent, theta, set_ or ())
    playouts = schedule_of(agent, player)
    n_games = games if follows_schedule(player) else 0
    out, played = console(), []
    with ProgressLine(console(stderr=True)) as bar:
        for n_played in range(n_games):
            bar.update(n_played / n_games, "", [f"games {n_played:,}/{n_games:,}"])
            played.append(evaluations_in_game(player, seed + n_played))
    use = Use(playouts, played) if played else None
    if json_:
        print(json.dumps(schedule_json(agent, params, playouts, use, seed)))
        return
    print_table(out, schedule_table(playouts, use))
    if use is not None:
        out.print()
        print_text(out, use_text(use))
    elif games:
        out.print()
        out.print(f"no games: {agent} does not follow its schedule on every board")


@app.command()
def watch(
    agent: Annotated[
        str,
        typer.Argument(
            help="Name of an agent for 2048 or Pacman: see thetafront agents.",
            autocompletion=agent_names,
        ),
    ] = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    layout: LayoutOption = None,
    seed: Annotated[
        int | None, whole("Seed of the game.", "--seed", show_default="a random one")
    ] = None,
    replay: Annotated[int | None, whole("Same as --seed: show the game of play --seed N.")] = None,
    speed: Annotated[float, decimal("Moves per second at first, 0.5 to 1000.")] = 5.0,
    human: Annotated[
        bool,
        typer.Option("--human", help="Play 2048 yourself, with the agent's tiles and hints."),
    ] = False,
) -> None:
    """Watch an agent play in the terminal, or play yourself."""
    from thetafront.agents.pacman.agent import PacmanAgent
    from thetafront.agents.twenty48.agent import Agent2048
    from thetafront.study.cli.train import have_learned
    from thetafront.study.experiments.agent_parser import agent_of, check_plays, notes_on
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
    player, _ = agent_of(agent, theta, set_ or (), layout)
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
            raise InputError(f"--human cannot be combined with {agent}: it is for 2048 only")
        last = pacman.play_in_terminal(player, shown, chosen, speed, again)
    else:
        assert isinstance(player, Agent2048)
        last = twenty48.play_in_terminal(player, shown, chosen, speed, again, human=human)
    print_text(console(), last)
