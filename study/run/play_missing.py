"""MissingGames of a table, each an agent: all of them on the same seeds, every game kept as soon as it has ended."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from agents.agent import Agent, digest_of, warm
from agents.twenty48.agent import Game2048
from study.run.dispatch import Dispatch
from study.run.progress import ProgressDisplay, Snapshot
from study.run.workers import Finished, PlayError
from study.store.ledger import Ledger
from study.text import counted, there_already

Key = tuple[str, int]


@dataclass
class MissingGames:
    """A source of games: what the rows miss, seed after seed, so that a row is never far ahead.

    Parameters
    ----------
    agents : mapping of str to Agent
        By the rows' names; no two rows have the same agent.
    seeds : sequence of int
        What each row plays.
    ledger : Ledger
        Where games are, and go.
    """

    agents: Mapping[str, Agent]
    seeds: Sequence[int]
    ledger: Ledger[Game2048]
    missing: dict[str, set[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.missing = {
            name: set(self.seeds) - set(self.ledger.games(agent))
            for name, agent in self.agents.items()
        }
        waiting = [
            (name, seed)
            for seed in self.seeds
            for name in self.agents
            if seed in self.missing[name]
        ]
        self.n_before = len(self.agents) * len(self.seeds) - len(waiting)
        self.waiting = iter(waiting)

    @property
    def n_missing(self) -> int:
        """Games still to come."""
        return sum(len(each) for each in self.missing.values())

    def next_game(self) -> tuple[Key, Agent, int] | None:
        """Return the next game that is missing."""
        key = next(self.waiting, None)
        return None if key is None else (key, self.agents[key[0]], key[1])

    def thinking(self) -> "Future[Any] | None":
        """Return nothing: all games are known from the beginning."""
        return None

    def record(self, finished: Finished[Key]) -> None:
        """Keep a game; PlayError if it could not be played."""
        name, seed = finished.key
        if finished.game is None:
            raise PlayError(f"{name}, seed {seed}: {finished.error}; what has finished is kept")
        assert isinstance(finished.game, Game2048), "rows and their ledger are of 2048"
        self.ledger.add(self.agents[name], finished.game)
        self.missing[name].discard(seed)

    def snapshot(self, dispatch: Dispatch[Key]) -> Snapshot:
        """Return how far the rows are."""
        n_games = len(self.agents) * len(self.seeds)
        return Snapshot(
            unit="rows",
            n_units_done=sum(not each for each in self.missing.values()),
            n_units=len(self.agents),
            n_games_done=n_games - self.n_missing,
            n_games=n_games,
            n_games_now=n_games - self.n_missing - self.n_before,
            seconds=dispatch.seconds,
            utilization=dispatch.utilization.share,
            note="",
            n_failed=0,
            n_deaths=dispatch.n_deaths,
        )


def play_missing(
    agents: Mapping[str, Agent],
    seeds: Sequence[int],
    ledger: Ledger[Game2048],
    jobs: int,
    out: Console,
) -> dict[str, list[Game2048]]:
    """Play what a ledger misses, and return all games of each row, in the order of the seeds.

    Parameters
    ----------
    agents : mapping of str to Agent
        By the rows' names; rows with equal agents share their games.
    seeds : sequence of int
        The same for all rows.
    ledger : Ledger
        Every finished game goes there at once; an interrupt loses at most those in flight.
    jobs : int
        Worker processes.
    out : rich.console.Console
        Where progress is shown.

    Raises
    ------
    InputError
        If another run is writing the ledger.
    study.run.workers.PlayError
        If a game cannot be played.
    """
    different = {digest_of(agent): (name, agent) for name, agent in agents.items()}
    with ledger.held():
        source = MissingGames(dict(different.values()), seeds, ledger)
        if source.n_missing:
            display = ProgressDisplay(out)
            dispatch: Dispatch[Key] = Dispatch(
                source, jobs, lambda now: display.show(source.snapshot(now)), display.message
            )
            if source.n_before:
                out.print(f"going on: {there_already(counted(source.n_before, 'game'))}")
            out.print("preparing (the first time, kernels are compiled: some twenty seconds)")
            for agent in source.agents.values():
                warm(agent)
            with display:
                dispatch.run()
    return {name: [ledger.games(agent)[seed] for seed in seeds] for name, agent in agents.items()}
