"""Playing games of one agent: reading its parameters from words, and summing its games up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.agent import Agent, Game
from agents.catalog import AGENTS, build, from_theta, parameters
from agents.pacman.agent import PacmanAgent
from agents.parameters import Flag, Parameter, Value, plain_values
from agents.twenty48.agent import Agent2048, Game2048
from engine.pacman import Layout
from study.errors import InputError
from study.experiments.game_summary import share_reaching
from study.experiments.objectives import PLAYOUT_MOVES, SCORE, SECONDS, WIN_RATE, format_seconds
from study.text import counted

LEAST_TILES = (1024, 2048, 4096, 8192)
LEAST_WHOLE = 100
TRUTHS = {"true": "1", "false": "0"}


def parse_numbers(text: str) -> list[float]:
    """Read numbers separated by commas."""
    numbers = []
    for word in text.split(","):
        try:
            numbers.append(float(word))
        except ValueError:
            raise InputError(f"theta: {word.strip()!r} given, a number allowed") from None
    return numbers


def parse_settings(settings: Sequence[str], known: Mapping[str, Parameter]) -> dict[str, Value]:
    """Read ``name=value`` pairs: numbers, or text for the parameters that take it; true and false are 1 and 0."""
    values: dict[str, Value] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            allowed = ", ".join(known) or "none"
            raise InputError(f"set: {setting!r} given, name=value allowed (names: {allowed})")
        parameter = known.get(name)
        if parameter is not None and isinstance(parameter.domain, Flag):
            value = TRUTHS.get(value.lower(), value)
        is_text = parameter is not None and not parameter.takes_number
        values[name] = value if is_text else number_or_text(value)
    return values


def number_or_text(word: str) -> Value:
    """Return the number that a word is, or the word."""
    try:
        return float(word)
    except ValueError:
        return word


def agent_of(
    name: str, theta: str | None, settings: Sequence[str]
) -> tuple[Agent, dict[str, Value]]:
    """Make the agent that a command line asks for, and name all of its parameters.

    Parameters
    ----------
    name : str
        The agent.
    theta : str, optional
        All components of θ, separated by commas.
    settings : sequence of str
        Single parameters, ``name=value``; they go before θ.

    Raises
    ------
    InputError
        If something is not allowed.
    """
    try:
        known = parameters(name)
        values: dict[str, Value] = {}
        if theta is not None:
            values |= from_theta(name, parse_numbers(theta))
        values |= parse_settings(settings, known)
        agent = build(name, values)
    except ValueError as error:
        raise InputError(str(error)) from None
    return agent, plain_values(agent)


def in_maze(
    name: str, agent: Agent, params: Mapping[str, Value], given: str
) -> tuple[Agent, dict[str, Value]]:
    """Put an agent for Pacman into a maze, by its name or the path of its file, and name its parameters anew.

    Raises
    ------
    InputError
        If it does not play Pacman, or the maze cannot be read, or is none.
    """
    if not isinstance(agent, PacmanAgent):
        raise InputError(f"layout: {given!r} given, but {name} does not play Pacman; none allowed")
    try:
        layout = Layout.find(given)
    except ValueError as error:
        raise InputError(str(error)) from None
    return replace(agent, layout=layout), {**params, "layout": given}


def check_one_layout(layout: str | None, settings: Sequence[str]) -> None:
    """Refuse a maze that is given twice, by ``--layout`` and by ``--set layout=…``; InputError names both."""
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if layout is not None and equals and name == "layout":
            raise InputError(
                f"layout: --layout {layout} and --set layout={value} given, one of the two allowed"
            )


def agent_2048_of(
    name: str, theta: str | None, settings: Sequence[str], others: Sequence[str] = ()
) -> tuple[Agent2048, dict[str, Value]]:
    """Make an agent as :func:`agent_of` does; InputError, too, if it does not play 2048.

    ``others`` are agents that whoever asks takes, too, and has looked for already.
    """
    players = [each for each in sorted(AGENTS) if isinstance(build(each, {}), Agent2048)]
    if name not in players:
        unfit = ", which does not play 2048" if name in AGENTS else ""
        allowed = ", ".join([*players, *others])
        raise InputError(
            f"agent: {name!r} given{unfit}{';' if unfit else ','} one of {allowed} allowed"
        )
    agent, params = agent_of(name, theta, settings)
    assert isinstance(agent, Agent2048)  # as with its own parameters
    return agent, params


def summary_of(name: str, params: Mapping[str, Value], games: Sequence[Game]) -> dict[str, Any]:
    """Return what ``play --json`` prints.

    Games that can be won have their ``win_rate``, with Wilson's 95% interval. Of 2048, ``reach`` has the tiles 1024 to
    8192, and those above that some game reached.
    """
    score = SCORE.summary(games)
    in_2048 = [game for game in games if isinstance(game, Game2048)]
    reached, playouts = told_of_2048(in_2048) if in_2048 else ({}, {})
    wins = WIN_RATE.estimate(games) if hasattr(games[0], "won") else None
    win_rate = {"mean": wins.value, "low95": wins.low, "high95": wins.high} if wins else None
    return {
        "agent": name,
        "params": dict(params),
        "n_games": len(games),
        **({"win_rate": win_rate} if win_rate else {}),
        "score": {
            "mean": score["score_mean_points"],
            "sem": score["score_sem_points"] if len(games) > 1 else None,
            "min": score["score_min_points"],
            "max": score["score_max_points"],
        },
        **reached,
        "n_moves_mean": sum(game.n_moves for game in games) / len(games),
        "seconds_per_move": SECONDS.of(games),
        **playouts,
        "games": [game_of_summary(game) for game in games],
    }


def told_of_2048(games: Sequence[Game2048]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is said of games of 2048 alone: tiles reached, and playouts."""
    seconds = sum(game.seconds for game in games)
    n_playout_moves = sum(game.n_playout_moves for game in games)
    largest = max(game.max_tile for game in games)
    tiles = [*LEAST_TILES, *(2**e for e in range(14, 16) if 2**e <= largest)]
    reach = {str(tile): share_reaching(games, tile) for tile in tiles}
    return {"reach": reach}, {
        "playout_moves_per_move": PLAYOUT_MOVES.of(games),
        "playout_moves_per_second": n_playout_moves / seconds if seconds > 0 else 0.0,
    }


def game_of_summary(game: Game) -> dict[str, Any]:
    """Return what is said of one game: all that its record has, but of 2048, less."""
    if not isinstance(game, Game2048):
        return game.to_row()
    return {
        "seed": game.seed,
        "score": game.score,
        "n_moves": game.n_moves,
        "max_tile": game.max_tile,
        "seconds": game.seconds,
    }


def won_for_people(summary: Mapping[str, Any]) -> list[str]:
    """Return a line on the games won, if games of this kind can be."""
    rate = summary.get("win_rate")
    if rate is None:
        return []
    shown = WIN_RATE.format.interval(rate["mean"], rate["low95"], rate["high95"])
    return [f"won          {shown}, 95% interval"]


def summary_for_people(summary: Mapping[str, Any]) -> str:
    """Return the same, without the single games, as lines of text."""
    score = summary["score"]
    # Scores of hundreds and more are told whole, those of some points by the cent, expectations as exact ones are.
    largest, whole = max(score["min"], score["max"], key=abs), isinstance(score["min"], int)
    digits = 0 if abs(largest) >= LEAST_WHOLE else 2 if whole else 5
    extremes = (f"{score[end]:,.{0 if whole else digits}f}" for end in ("min", "max"))
    error = "?" if score["sem"] is None else f"{score['sem']:,.{digits}f}"
    shown = ", ".join(
        f"{key} {value if isinstance(value, str) else format(value, 'g')}"
        for key, value in summary["params"].items()
    )
    reached = ", ".join(f"{t} {share:.1%}" for t, share in summary.get("reach", {}).items())
    lines = [
        f"{summary['agent']}{f' ({shown})' if shown else ''}, "
        f"{counted(summary['n_games'], 'game')} from seed {summary['games'][0]['seed']}",
        *won_for_people(summary),
        f"score        {score['mean']:,.{digits}f} ± {error} (standard error), "
        f"{' to '.join(extremes)}",
        *([f"reached      {reached}"] if reached else []),
        f"moves        {summary['n_moves_mean']:,.{digits and 1}f} a game",
        f"time a move  {format_seconds(summary['seconds_per_move'])} of CPU",
    ]
    if summary.get("playout_moves_per_move"):
        lines.append(
            f"playouts     {summary['playout_moves_per_move']:,.0f} random moves a move, "
            f"{summary['playout_moves_per_second'] / 1e6:,.0f} million a CPU second"
        )
    return "\n".join(lines)
