"""The numbers of a study's trials examined: each once, and that of the seeds of its games."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from optuna.trial import TrialState

from agents.agent import Game
from study.store.seeds import (
    replicate_of,
    search_seed,
)
from study.store.study_rows import Cell, TrialRows
from study.store.trial_games import GAME_PREFIX
from study.verify.examination import Examination
from study.verify.mending import CHILDREN

STATES = TrialState.__members__
COMPLETE, FAIL, RUNNING, WAITING = (
    each.name
    for each in (TrialState.COMPLETE, TrialState.FAIL, TrialState.RUNNING, TrialState.WAITING)
)
LOST = "damaged in the database, and nothing tells what it was"


@dataclass
class Trial:
    """A trial as it is examined; its games are those that can be read, and then those played."""

    rows: TrialRows
    number: int
    games: dict[int, Game] = field(default_factory=dict)
    cells: dict[int, Cell] = field(default_factory=dict)
    state: str = WAITING
    is_changed: bool = False  # so that what is computed from its games is to be written again

    @property
    def where(self) -> str:
        """Its name."""
        return f"trial {self.number}"


class TrialNumbers:
    """A study's trials by number; what is found goes into the examination.

    Parameters
    ----------
    of : Examination
        The study as a whole.

    Attributes
    ----------
    trials : list of Trial
        In order.
    is_shared : bool
        Whether all trials have the seeds of the first, as older studies do.
    """

    def __init__(self, of: Examination) -> None:
        self.of = of
        self.trials = self.number_trials()
        self.is_shared = self.seeds_are_shared()

    def number_trials(self) -> list[Trial]:
        """Return the trials in order; mend numbers that are damaged, there twice or missing."""
        numbered: dict[int, Trial] = {}
        astray: list[TrialRows] = []
        for rows in self.of.rows.trials:
            self.of.values.n += 1
            if rows.is_numbered and rows.number not in numbered and self.agrees_with(rows):
                numbered[rows.number] = Trial(rows, rows.number)
            else:
                astray.append(rows)
        astray += self.of.rows.orphans
        n = max(len(numbered) + len(astray), max(numbered, default=-1) + 1)
        missing = [number for number in range(n) if number not in numbered]
        for rows in astray:
            number = self.number_by_seeds(rows, missing)
            if number is None:
                self.of.values.flaws.append(f"trial {rows.number} of row {rows.id}: not there once")
                self.delete(rows)
                continue
            missing.remove(number)
            self.of.values.flaws.append(f"trial {number}: number {rows.number} given")
            numbered[number] = Trial(rows, number)
            if rows in self.of.rows.orphans:
                self.insert(rows.id, number, COMPLETE if rows.values else RUNNING)
                rows.state = COMPLETE if rows.values else RUNNING
            else:
                self.of.mending.set("trials", rows.id, number=number)
        for number in missing:
            if number > max(numbered, default=-1):
                continue  # room for those astray, which are deleted
            self.of.values.flaws.append(f"trial {number}: not there")
            row = (
                max(each.id for each in (*self.of.rows.trials, *self.of.rows.orphans)) + 1 + number
            )
            self.insert(row, number, FAIL)
            self.of.mending.attribute(None, "trial_user_attributes", row, "error", LOST)
        return [numbered[number] for number in sorted(numbered)]

    def insert(self, row: int, number: int, state: str) -> None:
        """Add a trial's own row."""
        self.of.mending.insert(
            "trials", trial_id=row, number=number, study_id=self.of.rows.id, state=state
        )

    def agrees_with(self, rows: TrialRows) -> bool:
        """Return whether a trial's number can be its own: by the seed of a game, if it has one."""
        seeds = list(self.seeds_in(rows))
        first = [self.seed_of(0, key) for key, _ in seeds]  # those of an earlier day share these
        own = [self.seed_of(rows.number, key) for key, _ in seeds]
        return not seeds or any(
            seed in each for (_, seed), *each in zip(seeds, first, own, strict=True)
        )

    def seeds_in(self, rows: TrialRows) -> Iterator[tuple[str, int]]:
        """Return the seeds of a trial's readable games, each with its attribute's name."""
        for key, cell in rows.attributes.items():
            if key.startswith(GAME_PREFIX) and (game := self.of.game_in(cell)) is not None:
                yield key, game.seed

    def number_by_seeds(self, rows: TrialRows, missing: list[int]) -> int | None:
        """Return the missing number that a trial's games have seeds of; the only one otherwise."""
        seeds = list(self.seeds_in(rows))
        for number in missing:
            if any(seed == self.seed_of(number, key) for key, seed in seeds):
                return number
        return missing[0] if len(missing) == 1 and not seeds else None

    def seed_of(self, number: int, key: str) -> int | None:
        """Return the seed of a trial's game by its attribute's name; None if that is none."""
        try:
            return search_seed(
                self.of.record.seed, number, replicate_of(key.removeprefix(GAME_PREFIX))
            )
        except ValueError:
            return None

    def delete(self, rows: TrialRows) -> None:
        """Remove a trial."""
        for table in (*CHILDREN, "trials"):
            self.of.mending.delete_rows(table, "trial_id", rows.id)

    def seeds_are_shared(self) -> bool:
        """Return whether all trials have the seeds of the first, as older studies do."""
        votes = Counter[bool]()
        for trial in self.trials[1:]:
            for key, seed in self.seeds_in(trial.rows):
                votes[seed == self.seed_of(0, key)] += 1
        return votes[True] > votes[False]
