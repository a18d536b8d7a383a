"""The numbers of a study's trials examined: each once, and that of the seeds of its games."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from optuna.trial import TrialState

from thetafront.agents.agent import Outcome
from thetafront.study.store.cell import Cell
from thetafront.study.store.games_table import SEARCH, VALIDATION, no_owner
from thetafront.study.store.seeds import (
    replicate_of,
    search_seed,
)
from thetafront.study.store.study_rows import TrialRows
from thetafront.study.verify.examination import Examination
from thetafront.study.verify.mending import CHILDREN

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
    stored: dict[str, Cell] = field(default_factory=dict)  # games, by replicate as it is stored
    games: dict[int, Outcome] = field(default_factory=dict)
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
        for trial in self.trials:
            self.collect_games(trial)
        self.delete_games_of_no_trial()
        self.is_shared = self.seeds_are_shared()

    def collect_games(self, trial: Trial) -> None:
        """Take a trial's games, from its attributes and the table; mend those there twice."""
        trial.stored.update(trial.rows.games)
        for replicate, cell in self.of.rows.games.get((SEARCH, str(trial.number)), {}).items():
            if (other := trial.stored.get(replicate)) is not None:
                self.of.games.flaws.append(f"{trial.where}, replicate {replicate}: there twice")
                self.of.mending.delete(other)
            trial.stored[replicate] = cell

    def delete_games_of_no_trial(self) -> None:
        """Remove the games in the table that are of no trial, nor of a point."""
        known = {str(trial.number) for trial in self.trials}
        for unit, cells in self.of.rows.games.items():
            phase, of = unit
            if phase == VALIDATION or (phase == SEARCH and of in known):
                continue
            for replicate, cell in cells.items():
                self.of.games.flaws.append(f"{no_owner(unit)}, replicate {replicate}")
                self.of.mending.delete(cell)

    def number_trials(self) -> list[Trial]:
        """Return the trials in order; mend numbers that are damaged, there twice or missing."""
        trusted = [rows for rows in self.of.rows.trials if self.agrees_with(rows)]
        in_order = increasing([rows.number for rows in trusted])
        trusted = [rows for rows, is_in_order in zip(trusted, in_order, strict=True) if is_in_order]
        numbered = {rows.number: Trial(rows, rows.number) for rows in trusted}
        known = {rows.id for rows in trusted}
        astray = [rows for rows in self.of.rows.trials if rows.id not in known]
        astray += self.of.rows.orphans
        self.of.values.n += len(self.of.rows.trials)
        n = max(len(numbered) + len(astray), max(numbered, default=-1) + 1)
        missing = [number for number in range(n) if number not in numbered]
        for rows in astray:
            number = self.number_told(rows, missing, trusted)
            if number is None:
                self.of.values.flaws.append(f"trial {rows.number} of row {rows.id}: not there once")
                self.delete(rows)
                continue
            missing.remove(number)
            numbered[number] = Trial(rows, number)
            if rows.is_numbered and rows.number == number:
                continue  # only its games are gone
            self.of.values.flaws.append(f"trial {number}: number {rows.number} given")
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
        """Return whether a trial's number can be its own, by its games if it must have some.

        Games among its attributes tell by their seeds; those in the table have its number.
        """
        if not rows.is_numbered:
            return False
        seeds = list(self.seeds_in(rows.games))
        if not seeds:
            return not (rows.values and self.of.rows.games) or self.has_stored(rows.number)
        first = [self.seed_of(0, replicate) for replicate, _ in seeds]  # formerly shared by all
        own = [self.seed_of(rows.number, replicate) for replicate, _ in seeds]
        return any(seed in each for (_, seed), *each in zip(seeds, first, own, strict=True))

    def has_stored(self, number: int) -> bool:
        """Return whether the table has games of a trial."""
        return (SEARCH, str(number)) in self.of.rows.games

    def seeds_in(self, games: Mapping[str, Cell]) -> Iterator[tuple[str, int]]:
        """Return the seeds of readable games, each with its replicate as it is stored."""
        for replicate, cell in games.items():
            if (game := self.of.game_in(cell)) is not None:
                yield replicate, game.seed

    def number_told(
        self, rows: TrialRows, missing: list[int], trusted: Sequence[TrialRows]
    ) -> int | None:
        """Return which of the missing numbers is a trial's; None if nothing tells.

        Seeds of games among its attributes tell it, or its place: numbers grow with rows.
        """
        seeds = list(self.seeds_in(rows.games))
        for number in missing:
            if any(seed == self.seed_of(number, replicate) for replicate, seed in seeds):
                return number
        if seeds:
            return None
        low = max((each.number for each in trusted if each.id < rows.id), default=-1)
        high = min((each.number for each in trusted if each.id > rows.id), default=math.inf)
        between = [number for number in missing if low < number < high]
        if rows.values and (played := [each for each in between if self.has_stored(each)]):
            return played[0]
        return between[0] if len(between) == 1 else None

    def seed_of(self, number: int, replicate: str) -> int | None:
        """Return the seed of a trial's game by its replicate as stored; None if that is none."""
        try:
            return search_seed(self.of.record.seed, number, replicate_of(replicate))
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
            for replicate, seed in self.seeds_in(trial.stored):
                votes[seed == self.seed_of(0, replicate)] += 1
        return votes[True] > votes[False]


def increasing(numbers: Sequence[int]) -> list[bool]:
    """Mark a longest part of a sequence that increases (Fredman 1975)."""
    ends: list[int] = []  # places where the smallest number ends a part of each length
    before: list[int | None] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number, key=numbers.__getitem__)
        before.append(ends[length - 1] if length else None)
        ends[length : length + 1] = [place]
    marked = [False] * len(numbers)
    at = ends[-1] if ends else None
    while at is not None:
        marked[at] = True
        at = before[at]
    return marked
