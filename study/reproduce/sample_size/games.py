"""The games: of a study's validated points, or played."""

import itertools
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from thetafront.agents.agent import Game, digest_of
from thetafront.agents.catalog import theta_names
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.errors import InputError
from thetafront.study.experiments.agent_parser import agent_2048_of
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import SCORE, Goal
from thetafront.study.reproduce.reproduction import GAMES, ResultFolder
from thetafront.study.reproduce.sample_size.sample import Sample
from thetafront.study.run.play_missing import play_missing
from thetafront.study.run.workers import check_jobs
from thetafront.study.store.ledger import Ledger
from thetafront.study.store.validated_points import ValidatedPoint

MOST_GAMES = 400_000
NAMES = ("A", "B")


def choose_points(
    points: Sequence[ValidatedPoint], keys: Sequence[str], goal: Goal = SCORE
) -> list[ValidatedPoint]:
    """Choose one or two of a study's validated points, by key.

    Without keys: the two neighbours in the goal's mean with the most games (then the closest), or
    the only point. InputError if no point has two games, a key is unknown, or more than two are
    given.
    """
    usable = {point.key: point for point in points if len(point.games) > 1}
    if not usable:
        raise InputError(
            "study: no validated point with 2 games or more in it (thetafront validate)"
        )
    for key in keys:
        if key not in usable:
            raise InputError(f"point: {key!r} given, one of {', '.join(sorted(usable))} allowed")
    if len(keys) > len(NAMES) or len(set(keys)) < len(keys):
        raise InputError(f"point: {', '.join(keys)} given, one or two different ones allowed")
    if keys or len(usable) == 1:
        return [usable[key] for key in keys or usable]

    def mean(point: ValidatedPoint) -> float:
        return float(goal.samples(point.in_order).mean())

    def merit(pair: tuple[ValidatedPoint, ValidatedPoint]) -> tuple[int, int, float]:
        counts = [len(point.games) for point in pair]
        return min(counts), sum(counts), mean(pair[0]) - mean(pair[1])

    best = max(itertools.pairwise(sorted(usable.values(), key=mean)), key=merit)
    return list(best)


def sample_of(
    name: str,
    theta: str,
    origin: str,
    digest: str,
    played: Sequence[Game],
    goal: Goal = SCORE,
) -> Sample:
    """Return a sample of finished games, in the order of their seeds."""
    ordered = sorted(played, key=lambda game: game.seed)
    seeds = np.array([game.seed for game in ordered], np.int64)
    return Sample(name, theta, origin, digest, seeds, goal.samples(ordered), goal)


def samples_of_points(
    points: Sequence[ValidatedPoint], experiment: Experiment, output: Path | None
) -> list[Sample]:
    """Return the validation games of one or two points of a study, and store them in ``output``."""
    check_noisy(experiment.goal)
    samples, kept = [], []
    for label, point in zip(NAMES, points, strict=False):
        agent = experiment.build(point.params)
        values = (point.params[name] for name in experiment.space.names)
        theta = ",".join(each if isinstance(each, str) else f"{each:g}" for each in values)
        origin = f"{point.origin}, point {point.key}"
        played = list(point.games.values())
        samples.append(sample_of(label, theta, origin, digest_of(agent), played, experiment.goal))
        kept.append((agent, [point.games[replicate] for replicate in sorted(point.games)]))
    if output is not None:
        ResultFolder.made(output)
        ledger: Ledger[Any] = Ledger(output / GAMES, experiment.summary.game)
        with ledger.held():
            for agent, games in kept:
                ledger.add(agent, *games)
    return samples


def check_noisy(goal: Goal) -> None:
    """Refuse, by InputError, a goal that one game tells."""
    if goal.is_exact:
        raise InputError(f"study: one of an exact {goal.label} given, which one game tells")


def samples_played(
    agent: str,
    thetas: tuple[str | None, str | None],
    seeds: range,
    jobs: int | None,
    output: Path | None,
    out: Console,
) -> list[Sample]:
    """Play θ of A (None: the agent's own) and of B (None: no B) on the same seeds.

    Games in ``output`` are not played again; without a folder none are kept.

    Raises
    ------
    InputError
        If an argument is not allowed.
    study.run.workers.PlayError
        If a game cannot be played.
    """
    theta, versus = thetas
    if seeds.start < 0 or seeds.stop > 2**62:
        raise InputError(f"seed: {seeds.start} given, 0 to 2**62 - {len(seeds)} allowed")
    n_jobs = min(check_jobs(jobs), 2 * len(seeds))
    agents, written = {}, {}
    for name, words in zip(NAMES, (theta, versus), strict=True):
        if name == NAMES[0] or words is not None:
            agents[name], params = agent_2048_of(agent, words)
            written[name] = ",".join(f"{params[each]:g}" for each in theta_names(agent)) or "none"
    if len(agents) > 1 and agents["A"] == agents["B"]:
        raise InputError(f"versus: {versus} given, which is the same θ; another allowed")
    with ExitStack() as stack:
        if output is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            folder = ResultFolder.made(output).path
        played = play_missing(agents, list(seeds), Ledger(folder / GAMES, Game2048), n_jobs, out)
    return [
        sample_of(name, written[name], agent, digest_of(each), played[name])
        for name, each in agents.items()
    ]
