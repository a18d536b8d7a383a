"""First games of a user's experiment, before anything is stored.

They show whether the experiment can be played at all, whether a seed determines a game, and whether
games have moves. Worker processes play them, as they play all other games.
"""

import math
import time

from thetafront.agents.agent import FailedGame, Game
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.players import corners
from thetafront.study.log.point import Point
from thetafront.study.log.same_game import difference, timed_fields
from thetafront.study.run.workers import PlayError, Task, Workers

N_SEEDS = 3  # how many seeds are tried if games fail


def first_games(
    experiment: Experiment, seed: int, jobs: int, most_corners: int, deadline: float = math.inf
) -> list[Point]:
    """Play a game in the middle of the space twice, then a game at each of some corners.

    The origin of a point is ``middle``, ``again`` (the middle with the same seed) or ``corner``.
    PlayError is raised if a game has not ended when the monotonic clock reaches ``deadline``.
    """
    inside = experiment.space.completed({})
    points = [Point(inside, "middle"), Point(inside, "again")]
    points += [Point(theta, "corner") for theta in corners(experiment.space, most_corners)]
    with Workers[int](jobs) as workers:
        for number, point in enumerate(points):
            workers.submit(Task(number, experiment.build(point.params), [seed]))
        while len(workers):
            left = deadline - time.monotonic()
            if left <= 0:
                raise PlayError("it did not end within the budget")
            workers.collect(timeout=min(1.0, left))
            while workers.returned:
                back = workers.returned.popleft()
                game = back.games[0] if back.games else FailedGame(seed, back.error)
                points[back.key].add(0, game, None)
    return points


def settled(experiment: Experiment, seed: int, seconds: float) -> tuple[Experiment, str]:
    """Play first games; return the experiment with its cost, and a warning (empty if none).

    InputError if games with several seeds fail, or do not end within the given seconds.
    """
    deadline = time.monotonic() + seconds
    for number in range(N_SEEDS):
        try:
            first, again = first_games(experiment, seed + number, 1, 0, deadline)
        except PlayError as error:
            text = f"{experiment.name}: its first game cannot be played: {error}"
            raise InputError(text) from None
        if not (failures := [*first.failures.values(), *again.failures.values()]):
            break
    if failures:
        raise InputError(
            f"{experiment.name}: a game at the middle of the space fails: {failures[0].error}"
        )
    games = first.games[0], again.games[0]
    if experiment.is_open:
        experiment = experiment.settled(has_moves(*games))
    differs = difference(*games, timed_fields(experiment))
    warning = ""
    if differs:
        warning = (
            f"two games with seed {seed + number} differ ({differs}), so games cannot be played "
            "again from their seeds"
        )
    return experiment, warning


def has_moves(*games: Game) -> bool:
    """Return whether games report moves, that is, whether any has more than one move."""
    return any(game.n_moves > 1 for game in games)
