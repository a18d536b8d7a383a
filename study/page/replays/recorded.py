"""Which games a page shows: one game of each of three points, with a score near the median.

A game is played again from its seed and recorded. It is left out if its score or its number of
moves differs from the stored one. Games that were played side by side are not chosen, because their
playouts depend on the other games of their batch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from thetafront.agents.agent import Agent, Game
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.dice.solver import DiceSolver
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.study.errors import InputError
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.log.point import Point
from thetafront.study.page.replays.recording import (
    Recording,
    record_2048,
    record_dice,
    record_pacman,
)
from thetafront.study.report.analysis import Analysis
from thetafront.study.text import counted

CPU_SECONDS = 1.0
"""Limit on the CPU seconds of all games of a page together, computed from their stored times."""
SECONDS_AROUND_A_MOVE = 60e-6
"""CPU seconds of recording a move, in addition to those of the decision."""
MAX_MOVES = 10_000  # about 20 kB in the page
N_DICE_GAMES = 101


@dataclass(frozen=True)
class Recorded:
    """The games of a page."""

    # One item per game, in the order of the points' costs: data that become JSON for the page's
    # script. An item has the recording, `label` (`number 3, proposal`, or `trial 3` if nothing is
    # validated), `seed`, the stored `score` in points, and `note`.
    replays: list[Recording]
    left_out: list[str]  # why games of other points are missing, one sentence for each reason

    @property
    def are_stored(self) -> bool:
        """Whether there are games, and all of them are games of the study."""
        return bool(self.replays) and not any(each["note"] for each in self.replays)


class LeftOutError(Exception):
    """A game is not shown; the message says why."""


def recorded(page: Analysis, cpu_seconds: float = CPU_SECONDS) -> Recorded:
    """Replay a game of the cheapest, the middle and the most expensive point on the front.

    If no point is validated, games of trials on the observed front are replayed. There is no game
    if the study's game is not built in, or if the agent learns before it plays. A point whose games
    take too long is replaced with the next cheaper point that has not been tried, if there is one.

    ``cpu_seconds`` limits the time for playing, computed from the seconds that are stored with the
    games. Compiling kernels takes additional time.
    """
    found: list[Recording] = []
    left_out: dict[str, list[str]] = {}  # labels of points, by the reason
    candidates = validated_candidates(page) or trial_candidates(page)
    if candidates and (reason := why_none(page)):
        return Recorded([], [reason])
    wanted = spread(len(candidates))
    tried = -1
    for n_found, place in enumerate(wanted):
        share = cpu_seconds / (len(wanted) - n_found)
        for k in range(place, tried, -1):  # cheaper points, if games take too long
            label, point = candidates[k]
            try:
                replay, seconds = record_replay(page, point, share)
            except LeftOutError as error:
                left_out.setdefault(str(error), []).append(label)
            else:
                found.append({**replay, "label": label})
                cpu_seconds -= seconds
                break
        tried = place
    said = [f"{'; '.join(labels)}: {reason}" for reason, labels in left_out.items()]
    return Recorded(found, said)


def why_none(page: Analysis) -> str:
    """Say why no game of a study can be shown; empty if some may be."""
    experiment = page.data.experiment
    if experiment.player.is_external:
        return "Only 2048, Pacman and dice games can be shown, and this study plays another game."
    if experiment.learns:
        return (
            "No game is shown, because the agent learns before its first game, which takes too "
            "long."
        )
    return ""


def validated_candidates(page: Analysis) -> list[tuple[str, Point]]:
    """Return the validated points on the front with their names, cheapest first."""
    points, front = {each.key: each for each in page.data.known_points}, page.tables["front"]
    return [
        (f"number {row['number']}, {row['origin']}", points[row["point"]])
        for row in front[front["on_front"].astype(bool)].to_dict("records")
        if row["point"] in points
    ]


def trial_candidates(page: Analysis) -> list[tuple[str, Point]]:
    """Return the trials on the observed front with their names, cheapest first."""
    trials = page.tables["trials"].sort_values(page.data.experiment.cost.name)
    known = {each.number: each for each in page.data.trials}
    numbers = trials.loc[trials["on_observed_front"].astype(bool), "trial"]
    return [(f"trial {number}", known[number]) for number in numbers]


def spread(n: int) -> list[int]:
    """Return the positions of the first, the middle and the last of ``n``."""
    return sorted({0, (n - 1) // 2, n - 1}) if n else []


def record_replay(page: Analysis, point: Point, seconds: float) -> tuple[Recording, float]:
    """Record a game of a point; return it with its expected CPU seconds."""
    try:
        agent = page.data.experiment.build(point.params)
    except (ValueError, InputError) as error:
        raise LeftOutError(f"the agent cannot be built: {error}.") from None
    note = ""
    if isinstance(agent, DiceSolver):
        agent = agent.player()
        note = "Dice studies store solutions rather than games: this game was played for the page."
        (game,) = typical(dice_games(agent))
        cost = 0.0
    else:
        game, cost = affordable(point, seconds)
    recording = record_game(agent, game.seed)
    score, n_moves = recording["steps"]["score"][-1], len(recording["steps"]["score"]) - 1
    if (score, n_moves) != (game.score, game.n_moves):
        raise LeftOutError(
            f"the game with seed {game.seed} is stored as "
            f"{counted(int(game.score), 'point')} in {counted(game.n_moves, 'move')}, but gave "
            f"{score:,} in {n_moves:,} when played again, so it is not shown."
        )
    data = {
        **recording,
        "seed": str(game.seed),  # text, because it may have more digits than numbers in a browser
        "score": int(game.score),
        "note": note,
    }
    return data, cost


@lru_cache(maxsize=16)  # a page that is rewritten during a sweep has mostly the same games
def record_game(agent: Agent, seed: int) -> Recording:
    """Play a game again and record it."""
    if isinstance(agent, Agent2048):
        return record_2048(agent, seed)
    if isinstance(agent, PacmanAgent):
        return record_pacman(agent, seed)
    if isinstance(agent, DiceAgent):
        return record_dice(agent, seed)
    raise LeftOutError(f"{agent.name} games cannot be shown.")


def dice_games(agent: DiceAgent) -> list[Game]:
    """Play some games, and return those with two or more moves; if there are none, return all."""
    games: list[Game] = [agent.play(seed) for seed in range(N_DICE_GAMES)]
    return [each for each in games if each.n_moves > 1] or games


def typical(games: Sequence[Game], n: int = 1) -> list[Game]:
    """Return the ``n`` games whose scores are nearest to the median, nearest first."""
    middle = median(each.score for each in games)
    return sorted(games, key=lambda game: (abs(game.score - middle), game.seed))[:n]


def affordable(point: Point, seconds: float) -> tuple[Game, float]:
    """Return a game that can be played in time, and its duration.

    Only the half of the games whose scores are nearest to the median is considered. (The shortest
    of all games often ended early by bad luck, so it would not be typical.)
    """
    games = point.in_order
    near = typical(games, math.ceil(len(games) / 2))
    alone = [game for game in near if game.is_timed]
    costs = [game.seconds + SECONDS_AROUND_A_MOVE * game.n_moves for game in alone]
    for game, cost in zip(alone, costs, strict=True):
        if cost <= seconds and game.n_moves <= MAX_MOVES:
            return game, cost
    if not alone:
        reason = "were all played side by side, and their own times are unknown"
    elif min(costs) <= seconds:
        reason = f"have more than {MAX_MOVES:,} moves"
    else:
        reason = f"take more than the {format_seconds(seconds)} of CPU time left for this game"
    raise LeftOutError(f"games near the median score {reason}, so none is shown.")
