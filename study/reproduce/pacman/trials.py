"""Trials of ten games, as the report has them: what is handed to workers, and what is missing of a design."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rich.console import Console

from agents.pacman.agent import PacmanAgent, PacmanGame
from study.run.dispatch import Dispatch
from study.run.progress import ProgressDisplay, Snapshot
from study.run.workers import Finished, PlayError
from study.store.ledger import Ledger
from study.text import counted, there_already

GAMES_A_TRIAL = 10

Played = dict[PacmanAgent, list[PacmanGame]]
"""Games of each agent, in the order of the seeds."""

Key = tuple[int, int]
"""The agent's number and the first seed."""


@dataclass(frozen=True)
class Trial:
    """Some games of one agent, which a worker plays one after the other.

    Parameters
    ----------
    agent : PacmanAgent
        Who plays.
    n_games : int
        How many.
    """

    agent: PacmanAgent
    n_games: int

    def play(self, seed: int) -> list[PacmanGame]:
        """Play the games of ``seed`` and those after it."""
        return [self.agent.play(seed + k) for k in range(self.n_games)]


def runs_of(seeds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Part ascending seeds into runs of successive ones, ten at most: the first and how many."""
    n = 0
    for seed, following in pairwise([*seeds, -1]):
        n += 1
        if n == GAMES_A_TRIAL or following != seed + 1:
            yield seed - n + 1, n
            n = 0


@dataclass
class Trials:
    """A source of trials: what a ledger misses, agent after agent.

    Parameters
    ----------
    agents : sequence of PacmanAgent
        No two are equal.
    seeds : sequence of int
        What each plays, ascending.
    ledger : Ledger
        Where games are, and go; held.
    what : str
        What progress says of them.
    """

    agents: Sequence[PacmanAgent]
    seeds: Sequence[int]
    ledger: Ledger[PacmanGame]
    what: str
    n_missing: list[int] = field(init=False)

    def __post_init__(self) -> None:
        missing = [
            [seed for seed in self.seeds if seed not in games]
            for games in (self.ledger.games(agent) for agent in self.agents)
        ]
        self.n_missing = [len(each) for each in missing]
        self.n_before = len(self.agents) * len(self.seeds) - sum(self.n_missing)
        self.waiting = iter(
            [(k, first, n) for k, each in enumerate(missing) for first, n in runs_of(each)]
        )

    def next_game(self) -> tuple[Key, Any, int] | None:
        """Return the next trial that is missing."""
        task = next(self.waiting, None)
        if task is None:
            return None
        k, first, n_games = task
        return (k, first), Trial(self.agents[k], n_games), first

    def thinking(self) -> "Future[Any] | None":
        """Return nothing: all trials are known from the beginning."""
        return None

    def record(self, finished: Finished[Key]) -> None:
        """Keep a trial's games; PlayError if they could not be played."""
        k, first = finished.key
        games: Any = finished.game
        if games is None:
            raise PlayError(
                f"{self.agents[k]}, seed {first}: {finished.error}; what has finished is kept"
            )
        self.ledger.add(self.agents[k], *games)
        self.n_missing[k] = sum(
            seed not in self.ledger.games(self.agents[k]) for seed in self.seeds
        )

    def snapshot(self, dispatch: Dispatch[Key]) -> Snapshot:
        """Return how far the trials are."""
        n_games = len(self.agents) * len(self.seeds)
        n_done = n_games - sum(self.n_missing)
        return Snapshot(
            unit="points",
            n_units_done=sum(not each for each in self.n_missing),
            n_units=len(self.agents),
            n_games_done=n_done,
            n_games=n_games,
            n_games_now=n_done - self.n_before,
            seconds=dispatch.seconds,
            utilization=dispatch.utilization.share,
            note=self.what,
            n_failed=0,
            n_deaths=dispatch.n_deaths,
        )


def play_missing(
    agents: Sequence[PacmanAgent],
    seeds: Sequence[int],
    ledger: Ledger[PacmanGame],
    jobs: int,
    out: Console,
    what: str,
) -> Played:
    """Play what a ledger misses, and return all games of each agent.

    Parameters
    ----------
    agents : sequence of PacmanAgent
        No two are equal.
    seeds : sequence of int
        The same for all, ascending.
    ledger : Ledger
        Held. Every finished trial goes there at once; an interrupt loses at most those in flight.
    jobs : int
        Worker processes.
    out : rich.console.Console
        Where progress is shown.
    what : str
        What progress says of them.

    Raises
    ------
    study.run.workers.PlayError
        If a game cannot be played.
    """
    source = Trials(agents, seeds, ledger, what)
    if sum(source.n_missing):
        if source.n_before:
            out.print(f"{what}: {there_already(counted(source.n_before, 'game'))}")
        display = ProgressDisplay(out)
        dispatch: Dispatch[Key] = Dispatch(
            source, jobs, lambda now: display.show(source.snapshot(now)), display.message
        )
        for each in {type(agent): agent for agent in agents}.values():
            each.play(0)  # warm: compiled here, once, and found in the cache by workers
        with display:
            dispatch.run()
    return {agent: [ledger.games(agent)[seed] for seed in seeds] for agent in agents}
