"""Commands that look into an agent's mind: act, schedule, watch."""

import json
from typing import Annotated

import typer

from study.cli.options import decimal, whole
from study.cli.program import app, console
from study.errors import InputError, check_range

LARGEST_STREAM = 2**64 - 1
LARGEST_SEED = 2**63 - 1
MOST_GAMES = 100_000
MOST_REPEATS = 100_000

AgentOption = Annotated[str, typer.Option(help="As in play.")]
ThetaOption = Annotated[
    str | None, typer.Option(help="All components of θ, such as 500,54,18,9,6.25,1.")
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="One parameter, name=value; repeatable.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


@app.command()
def act(
    board: Annotated[
        str, typer.Option(help="16 tiles in reading order, . for none; / and , as you like.")
    ],
    agent: AgentOption = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    stream: Annotated[int, whole("The random stream of the decision.")] = 0,
    repeats: Annotated[
        int, whole("Decisions with other streams: at most, no more are begun after 2 s.")
    ] = 200,
    json_: JsonOption = False,
) -> None:
    """Decide on one board: each action's value, how sure the agent is of it, and what deciding costs.

    A value's standard error is its standard deviation over repeated decisions with other random streams.
    """
    from engine.twenty48 import render
    from study.experiments.play import agent_2048_of
    from study.terminal.inspect import answer_of, board_of, look, mind_for_people, mind_table
    from study.terminal.tiles import MEDIUM, board_text

    check_range("stream", stream, 0, LARGEST_STREAM)
    check_range("repeats", repeats, 2, MOST_REPEATS)
    player, params = agent_2048_of(agent, theta, set_ or [])
    mind = look(player, board_of(board), stream, repeats)
    if json_:
        print(json.dumps(answer_of(mind, agent, params)))
        return
    out = console()
    # Without a terminal there are no colours, and no tiles to be seen.
    out.print(board_text(mind.board, MEDIUM) if out.is_terminal else render(mind.board))
    out.print()
    out.print(mind_table(mind))
    out.print()
    out.print(mind_for_people(mind), soft_wrap=True)


@app.command()
def schedule(
    agent: AgentOption = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    games: Annotated[int, whole("Games that are played to see how they use it; 0 for none.")] = 10,
    seed: Annotated[int, whole("The first game's seed; the others count up.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Show how many playouts an agent gives to which action, and how its games use them."""
    from rich.progress import track

    from study.experiments.play import agent_2048_of
    from study.terminal.schedule import (
        answer_of,
        follows_schedule,
        looks_of_game,
        schedule_of,
        schedule_table,
        use_for_people,
        use_of,
    )

    check_range("games", games, 0, MOST_GAMES)
    check_range("seed", seed, 0, LARGEST_SEED - games)
    player, params = agent_2048_of(agent, theta, set_ or [])
    playouts = schedule_of(agent, player)
    counted = games if follows_schedule(player) else 0
    out = console()
    seeds = track(
        range(seed, seed + counted),
        "games",
        console=out,
        transient=True,
        disable=json_ or not (counted and out.is_terminal),
    )
    looks = [looks_of_game(player, each) for each in seeds]
    use = use_of(playouts, looks) if looks else None
    if json_:
        print(json.dumps(answer_of(agent, params, playouts, use, seed)))
        return
    out.print(schedule_table(playouts, use))
    if use is not None:
        out.print()
        out.print(use_for_people(use), soft_wrap=True)
    elif games:
        out.print()
        out.print(f"no games: {agent} does not follow its schedule on every board", soft_wrap=True)


@app.command()
def watch(
    agent: Annotated[
        str, typer.Argument(help="As in play, or pacman_mdp, pacman_astar, pacman_random.")
    ] = "mcmdp",
    theta: ThetaOption = None,
    set_: SetOption = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help="Pacman's maze: small, medium, or a file that ends in .lay.", show_default="small"
        ),
    ] = None,
    seed: Annotated[
        int | None, whole("The game's seed.", "--seed", show_default="a random one")
    ] = None,
    replay: Annotated[
        int | None,
        whole("The same, for a game that was played before: exactly that of play --seed."),
    ] = None,
    speed: Annotated[float, decimal("Moves a second to begin with, 0.5 to 1000.")] = 5.0,
    human: Annotated[
        bool, typer.Option("--human", help="Play yourself; the agent gives hints.")
    ] = False,
) -> None:
    """Watch an agent play in the terminal, or play yourself: with the tiles that it would get.

    Pacman's agents (pacman is pacman_mdp) are watched only.
    """
    import secrets
    import shlex

    from study.experiments.play import agent_2048_of
    from study.terminal.pace import FASTEST, SLOWEST, Stage
    from study.terminal.pacman import PACMAN_AGENTS
    from study.terminal.position import Position
    from study.terminal.screen import View
    from study.terminal.session import in_terminal, last_line
    from study.terminal.twenty48 import play_by_hand, watch_agent

    if seed is not None and replay is not None:
        raise InputError("watch: --seed and --replay given, one of them allowed")
    if not SLOWEST <= speed <= FASTEST:
        raise InputError(f"speed: {speed:g} given, {SLOWEST:g} to {FASTEST:g} allowed")
    given = seed if seed is not None else replay
    chosen = given if given is not None else secrets.randbelow(10**9)
    check_range("seed", chosen, 0, LARGEST_SEED)
    if agent.startswith("pacman"):
        watch_pacman(agent, theta, set_ or [], layout, chosen, speed, human)
        return
    if layout is not None:
        raise InputError(f"layout: {layout!r} given for {agent}, allowed for Pacman's agents only")
    player, _ = agent_2048_of(agent, theta, set_ or [], tuple(PACMAN_AGENTS))

    words = [agent, *(["--theta", theta] if theta is not None else [])]
    words += [word for setting in set_ or [] for word in ("--set", setting)]
    shown = " ".join(words)

    def game(stage: Stage[View]) -> Position:
        if human:
            return play_by_hand(player, f"you, hints by {shown}", chosen, stage)
        return watch_agent(player, shown, chosen, speed, stage)

    end = in_terminal(player, game)
    words += ["--human", "--seed"] if human else ["--replay"]
    print(last_line(end, shlex.join(["thetafront", "watch", *words, str(chosen)])))


def watch_pacman(
    agent: str,
    theta: str | None,
    settings: list[str],
    layout: str | None,
    seed: int,
    speed: float,
    human: bool,
) -> None:
    """Watch an agent of Pacman's; InputError if what was given is not for it."""
    import shlex

    from study.terminal.pacman import last_pacman_line, pacman_agent_of, watch_pacman_in_terminal

    if theta is not None:
        raise InputError(f"theta: {theta!r} given for {agent}, --set name=value allowed")
    if human:
        raise InputError(f"watch: --human given for {agent}, allowed for 2048 only")
    player = pacman_agent_of(agent, layout, settings)
    words = [agent, *(word for setting in settings for word in ("--set", setting))]
    words += ["--layout", layout] if layout is not None else []
    end = watch_pacman_in_terminal(player, " ".join(words), seed, speed)
    command = shlex.join(["thetafront", "watch", *words, "--replay", str(seed)])
    print(last_pacman_line(end, command))
