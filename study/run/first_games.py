"""First games of an experiment that is not ours, before anything is stored.

They tell whether it can be played at all, whether a seed decides a game, and whether games have
moves. Workers play them, as they will play all others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agents.agent import Game
from agents.parameters import Value
from study.errors import InputError
from study.experiments.definition import Experiment
from study.experiments.players import corners, middle
from study.run.workers import PlayError, Task, Workers
from study.store.same_game import difference


@dataclass(frozen=True)
class FirstGame:
    """A game that was tried.

    Attributes
    ----------
    where : str
        ``middle``, ``again`` (the middle, with the same seed) or ``corner``.
    theta : mapping
        θ.
    game : Game, optional
        The game; None if it failed.
    error : str
        Why.
    """

    where: str
    theta: Mapping[str, Value]
    game: Game | None
    error: str = ""


def first_games(
    experiment: Experiment, seed: int, jobs: int, most_corners: int
) -> Iterator[FirstGame]:
    """Play a game in the middle of the space twice, then one at each of some corners; in order."""
    inside = middle(experiment.space)
    tried = [("middle", inside), ("again", inside)]
    tried += [("corner", theta) for theta in corners(experiment.space, most_corners)]
    done: dict[int, FirstGame] = {}
    with Workers[int](jobs) as workers:
        for number, (_, theta) in enumerate(tried):
            workers.submit(Task(number, experiment.build(theta), [seed]))
        for number in range(len(tried)):
            while number not in done:
                workers.collect(timeout=1.0)
                while workers.returned:
                    back = workers.returned.popleft()
                    game = back.games[0] if back.games else None
                    done[back.key] = FirstGame(*tried[back.key], game, back.error)
            yield done[number]


def settled(experiment: Experiment, seed: int) -> tuple[Experiment, str]:
    """Play an experiment for the first time; return it with its cost, and a warning or nothing.

    Raises
    ------
    InputError
        If a game fails.
    """
    try:
        first, again = first_games(experiment, seed, jobs=1, most_corners=0)
    except PlayError as error:
        raise InputError(f"{experiment.name}: its first game cannot be played: {error}") from None
    for each in (first, again):
        if each.game is None:
            raise InputError(
                f"{experiment.name}: a game in the middle of the space fails: {each.error}"
            )
    assert first.game is not None
    assert again.game is not None
    if experiment.is_open:
        experiment = experiment.settled(has_moves(first.game, again.game))
    differs = difference(first.game, again.game)
    warning = ""
    if differs:
        warning = (
            f"two games with seed {seed} differ ({differs}): games cannot be played again from "
            "their seeds"
        )
    return experiment, warning


def has_moves(*games: Game) -> bool:
    """Return whether games report moves: one of them has more than one."""
    return any(game.n_moves > 1 for game in games)
