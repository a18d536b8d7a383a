"""Play the games that the agents of a table lack, and store each game as it ends."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from rich.console import Console

from thetafront.agents.agent import Agent, FailedGame, Game, agent_digest, warm
from thetafront.study.log.ledger import Ledger
from thetafront.study.run.dispatch import play_here
from thetafront.study.run.progress import PREPARING, ProgressDisplay
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.workers import Finished, PlayError, Task
from thetafront.study.text import counted

G = TypeVar("G", bound=Game)
Key = tuple[str, int]
"""A row's name, and the first seed of a batch."""


class MissingGames(GameSource[Key]):
    """The missing games of all rows, in the order of seeds, so that all rows progress alike.

    Parameters
    ----------
    agents : mapping of str to Agent
        The agents, by the rows' names; no two agents are equal.
    seeds : sequence of int
        The seeds that each row plays.
    ledger : Ledger
        Where games are stored.
    batch_size : int
        How many games a worker plays before they are stored.
    note : str
        What the progress line says about these games.
    """

    def __init__(
        self,
        agents: Mapping[str, Agent],
        seeds: Sequence[int],
        ledger: Ledger[Any],
        batch_size: int = 1,
        note: str = "",
    ) -> None:
        self.agents = agents
        self.ledger = ledger
        self.note = note
        self.n_games = len(agents) * len(seeds)
        self.missing: dict[str, set[int]] = {}
        batches = []
        for name, agent in agents.items():
            games = ledger.games(agent)
            missing = [seed for seed in seeds if seed not in games]
            self.missing[name] = set(missing)
            batches += [
                Task((name, missing[first]), agent, tuple(missing[first : first + batch_size]))
                for first in range(0, len(missing), batch_size)
            ]
        order = {seed: number for number, seed in enumerate(seeds)}
        self.waiting = iter(sorted(batches, key=lambda task: order[task.seeds[0]]))
        self.n_before = self.n_games - self.n_missing

    @property
    def n_missing(self) -> int:
        """Number of games still to be played."""
        return sum(len(seeds) for seeds in self.missing.values())

    def next_task(self) -> Task[Key] | None:
        """Return the next games that are missing."""
        return next(self.waiting, None)

    def record(self, finished: Finished[Key]) -> None:
        """Store games; PlayError if they could not be played."""
        name, seed = finished.key
        if finished.error:
            raise PlayError(f"{name}, seed {seed}: {finished.error}; finished games are kept")
        games = [each for each in finished.games if isinstance(each, Game)]
        self.ledger.add(self.agents[name], *games)
        self.missing[name] -= {game.seed for game in games}
        for each in finished.games:
            if isinstance(each, FailedGame):
                raise PlayError(f"{name}, seed {each.seed}: {each.error}; finished games are kept")

    def snapshot(self) -> Snapshot:
        """Return how many rows and games are done."""
        return Snapshot(
            unit="rows",
            n_units_done=sum(not seeds for seeds in self.missing.values()),
            n_units=len(self.agents),
            n_games_done=self.n_games - self.n_missing,
            n_games=self.n_games,
            note=self.note,
        )


def play_missing(
    agents: Mapping[str, Agent],
    seeds: Sequence[int],
    ledger: Ledger[G],
    jobs: int,
    out: Console,
    batch_size: int = 1,
    what: str = "",
) -> dict[str, list[G]]:
    """Play the games that a ledger lacks; return all games of each row, in the order of seeds.

    Parameters
    ----------
    agents : mapping of str to Agent
        The agents, by the rows' names; rows with equal agents share their games.
    seeds : sequence of int
        The seeds, the same for all rows.
    ledger : Ledger
        Where each batch is stored as soon as it ends. An interrupt loses only unfinished batches.
    jobs : int
        Number of worker processes.
    out : rich.console.Console
        Where progress is shown.
    batch_size : int
        How many games a worker plays before they are stored.
    what : str
        What the progress line says about these games.

    Raises
    ------
    RunError
        If another run is writing the ledger.
    PlayError
        If a game cannot be played.
    """
    different = dict(
        {agent_digest(agent): (name, agent) for name, agent in agents.items()}.values()
    )
    with ledger.held():
        source = MissingGames(different, seeds, ledger, batch_size, what)
        if source.n_missing:
            if source.n_before:
                n_games = counted(source.n_before, "game")
                out.print(f"{what or 'resuming'}: {n_games} already stored")
            out.print(PREPARING)
            for agent in different.values():
                warm(agent)
            with ProgressDisplay(out) as display:
                play_here(source, jobs, display)
    played = {name: ledger.games(agent) for name, agent in agents.items()}
    return {name: [games[seed] for seed in seeds] for name, games in played.items()}
