"""Stored games are played again from seeds: integers and words in results must not change."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.console import Console

from thetafront.agents.agent import Agent, FailedGame, Game, Outcome, warm
from thetafront.study.check.report import Check
from thetafront.study.log.same_game import MEASURED, difference
from thetafront.study.log.seeds import MAX_NUMBER
from thetafront.study.run.dispatch import play_here
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.source import TaskList
from thetafront.study.run.workers import Finished, PlayError, Task
from thetafront.study.text import counted


@dataclass
class Entry:
    """A game that is stored, or should be stored."""

    where: str  # its place: `trial 3, replicate 2`, or `line 12`
    agent: Agent  # who played it
    seed: int  # the seed that it must have
    game: Outcome | None  # as it is stored; None if it is missing or damaged
    cells: Mapping[str, Any]  # the stored values by field, even if the game is damaged
    keep: Callable[[Outcome], None]  # replaces the stored game with one that was played again
    unknown: frozenset[str] = frozenset()  # fields that are not stored, and so not compared

    @property
    def seeds(self) -> range:
        """Seeds of this game and of those played side by side with it.

        If the game is missing or damaged, there is only its own seed.
        """
        if isinstance(self.game, Game):
            return self.game.played_with
        return range(self.seed, self.seed + 1)

    def restored(self, played: Outcome) -> Outcome:
        """Return the game that was played again, with the stored time if that can be trusted.

        The stored time is kept if at most one of the other cells is damaged.
        """
        if isinstance(played, FailedGame):
            return played
        fresh = played.to_row()
        wrong = [
            name
            for name, value in fresh.items()
            if self.cells.get(name) != value and str(self.cells.get(name)) != str(value)
        ]
        try:
            seconds = float(self.cells[MEASURED])
        except (KeyError, TypeError, ValueError, OverflowError):
            return played
        other = [name for name in wrong if name != MEASURED]
        is_kept = len(other) <= 1 and 0.0 <= seconds <= MAX_NUMBER
        return replace(played, seconds=seconds) if is_kept else played


def play_again(entries: Sequence[Entry], jobs: int, out: Console, note: str = "") -> list[Outcome]:
    """Play games again in worker processes, with progress on ``out``; return them in order.

    Games that were played side by side are played side by side again. PlayError if a game cannot be
    played.
    """
    if not entries:
        return []
    together: dict[tuple[Agent, range], list[int]] = {}
    for place, entry in enumerate(entries):
        together.setdefault((entry.agent, entry.seeds), []).append(place)
    for entry in entries:
        warm(entry.agent)
    played: dict[int, Outcome] = {}

    def store(finished: Finished[int]) -> None:
        entry = entries[finished.key]
        if finished.error:
            raise PlayError(f"{entry.where}: {finished.error}")
        by_seed = {game.seed: game for game in finished.games}
        for place in together[entry.agent, entry.seeds]:
            played[place] = by_seed[entries[place].seed]

    tasks = [
        Task(places[0], agent, seeds, side_by_side=len(seeds) > 1)
        for (agent, seeds), places in together.items()
    ]
    with ProgressDisplay(out) as display:
        play_here(TaskList(tasks, store, note=note), jobs, display)
    return [played[place] for place in range(len(entries))]


def sample(entries: Sequence[Entry], n_games: int | None) -> list[Entry]:
    """Draw ``n_games`` of the readable games, the same ones each time; None stands for all."""
    readable = [entry for entry in entries if entry.game is not None]
    if n_games is None or n_games >= len(readable):
        return readable
    drawn = np.random.default_rng(1).choice(len(readable), n_games, replace=False)
    return [readable[place] for place in np.sort(drawn)]


@dataclass(frozen=True)
class Settings:
    """How to verify: games to play again (None for all), workers, and where progress goes."""

    n_games: int | None
    jobs: int
    out: Console


def replayed(
    entries: Sequence[Entry], settings: Settings
) -> tuple[Check, list[tuple[Entry, Outcome]]]:
    """Play a sample of games again; return the check, and pairs of a wrong game and its replay."""
    drawn = sample(entries, settings.n_games)
    played = play_again(drawn, settings.jobs, settings.out, "played again for comparison")
    n_readable = sum(entry.game is not None for entry in entries)
    check = Check(
        "games played again", len(drawn), note=f"ok ({len(drawn):,} of {n_readable:,} games)"
    )
    different = []
    for entry, game in zip(drawn, played, strict=True):
        if entry.game is not None and (how := difference(entry.game, game, entry.unknown)):
            check.problems.append(f"{entry.where}, seed {entry.seed}: {how}")
            different.append((entry, game))
    if check.problems:
        check.note = f"{len(drawn):,} of {n_readable:,} games played again"
    return check, different


def restore(
    entries: Sequence[Entry], different: Sequence[tuple[Entry, Outcome]], settings: Settings
) -> list[str]:
    """Play damaged games again, store all new games, and say how many there are.

    New games are the replays of damaged games, and the replays in ``different``, which were played
    before.
    """
    damaged = [entry for entry in entries if entry.game is None]
    played = play_again(damaged, settings.jobs, settings.out, "damaged, played again")
    for entry, game in [*zip(damaged, played, strict=True), *different]:
        entry.keep(entry.restored(game))
    done = []
    if damaged:
        done.append(f"{counted(len(damaged), 'damaged or missing game')} played again")
    if different:
        done.append(f"{counted(len(different), 'game')} replaced because their results differed")
    return done
