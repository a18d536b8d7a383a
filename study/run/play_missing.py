"""Play the games that the agents of a table lack, and store each game as it ends."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from rich.console import Console

from thetafront.agents.agent import Agent, FailedGame, Game, agent_digest, warm
from thetafront.study.log.ledger import Ledger
from thetafront.study.run.dispatch import play_here
from thetafront.study.run.progress import PREPARING, ProgressDisplay
from thetafront.study.run.source import TaskList
from thetafront.study.run.workers import Finished, PlayError, Task
from thetafront.study.text import counted

G = TypeVar("G", bound=Game)
Key = tuple[str, int]
"""A row's name, and the first seed of a batch."""


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

    ``agents`` are the rows' agents, by name; rows with equal agents share their games. All rows
    play the same seeds. A worker plays ``batch_size`` games, which are stored as soon as the batch
    ends; an interrupt loses only unfinished batches. ``what`` is what the progress line says about
    these games. RunError if another run is writing the ledger; PlayError if a game cannot be
    played.
    """
    different = dict(
        {agent_digest(agent): (name, agent) for name, agent in agents.items()}.values()
    )

    def store(finished: Finished[Key]) -> None:
        name, seed = finished.key
        if finished.error:
            raise PlayError(f"{name}, seed {seed}: {finished.error}; finished games are kept")
        games: list[Any] = [each for each in finished.games if isinstance(each, Game)]
        ledger.add(different[name], *games)
        for each in finished.games:
            if isinstance(each, FailedGame):
                raise PlayError(f"{name}, seed {each.seed}: {each.error}; finished games are kept")

    with ledger.held():
        tasks = missing_tasks(different, seeds, ledger, batch_size)
        if tasks:
            n_missing = sum(len(task.seeds) for task in tasks)
            if n_before := len(different) * len(seeds) - n_missing:
                out.print(f"{what or 'resuming'}: {counted(n_before, 'game')} already stored")
            out.print(PREPARING)
            for agent in different.values():
                warm(agent)
            with ProgressDisplay(out) as display:
                play_here(TaskList(tasks, store, n_before, what), jobs, display)
    played = {name: ledger.games(agent) for name, agent in agents.items()}
    return {name: [games[seed] for seed in seeds] for name, games in played.items()}


def missing_tasks(
    agents: Mapping[str, Agent], seeds: Sequence[int], ledger: Ledger[Any], batch_size: int
) -> list[Task[Key]]:
    """Return the missing games of all rows, in the order of seeds, so that all rows progress alike.

    No two agents may be equal.
    """
    tasks = []
    for name, agent in agents.items():
        games = ledger.games(agent)
        missing = [seed for seed in seeds if seed not in games]
        tasks += [
            Task((name, missing[first]), agent, tuple(missing[first : first + batch_size]))
            for first in range(0, len(missing), batch_size)
        ]
    order = {seed: number for number, seed in enumerate(seeds)}
    return sorted(tasks, key=lambda task: order[task.seeds[0]])
