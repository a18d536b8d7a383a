"""The validated points of a study examined: θ by their keys, numbers by their seeds, games."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from thetafront.agents.agent import Outcome
from thetafront.agents.parameters import Value
from thetafront.study.errors import InputError
from thetafront.study.store.cell import Cell
from thetafront.study.store.exported import thetas_of
from thetafront.study.store.games_table import VALIDATION
from thetafront.study.store.seeds import (
    GAMES_A_STUDY_SEED,
    replicate_of,
    validation_seed,
)
from thetafront.study.store.study_data import check_theta
from thetafront.study.store.study_record import (
    RUN_PREFIX,
)
from thetafront.study.store.validated_points import GAME_PREFIX as VALIDATION_PREFIX
from thetafront.study.store.validated_points import POINT_PREFIX, key_of, stored_point
from thetafront.study.verify.examination import Examination
from thetafront.study.verify.replay import Entry


class StoredPoints:
    """A study's validated points, examined; what is found goes into the examination.

    Parameters
    ----------
    of : Examination
        The study as a whole, its trials examined.
    """

    def __init__(self, of: Examination) -> None:
        self.of = of
        self.examine_points()

    def examine_points(self) -> None:
        """Check the validated points and their games."""
        games: dict[str, dict[int, Cell]] = {}
        keys = []
        for (phase, key), stored in self.of.rows.games.items():
            for replicate, played in stored.items() if phase == VALIDATION else ():
                self.take(games, f"point {key}, replicate {replicate}", key, replicate, played)
        for name, cell in self.of.rows.attributes.items():
            if name.startswith(POINT_PREFIX):
                keys.append(name.removeprefix(POINT_PREFIX))
            elif name.startswith(VALIDATION_PREFIX):
                key, _, replicate = name.removeprefix(VALIDATION_PREFIX).partition(":")
                self.take(games, name, key, replicate, cell)
        search = {entry.seed for entry in self.of.entries}
        for key in dict.fromkeys([*keys, *games]):
            self.examine_point(key, games.get(key, {}), search)

    def take(
        self, games: dict[str, dict[int, Cell]], where: str, key: str, replicate: str, cell: Cell
    ) -> None:
        """Add a stored game to those of its point, if its replicate is one, and not there yet."""
        try:
            of_point, number = games.setdefault(key, {}), replicate_of(replicate)
            if number in of_point:
                raise ValueError("there twice")
            of_point[number] = cell
        except ValueError as error:
            self.of.games.flaws.append(f"{where}: {error}")
            self.of.mending.delete(cell)

    def examine_point(self, key: str, cells: dict[int, Cell], search: set[int]) -> None:
        """Check one validated point and its games."""
        self.of.thetas.n += 1
        name = POINT_PREFIX + key
        cell = self.of.rows.attributes.get(name)
        flaw, point = "", None
        try:
            if cell is None:
                raise ValueError("not there")
            point = stored_point(key, cell.json)
            check_theta(self.of.space, point.params, all_of_it=True)
            if key_of(point.params) != key:
                raise ValueError(f"its key is not that of θ {dict(point.params)}")
        except ValueError as error:
            flaw = str(error)
        number = point.number if point is not None else 0
        told = self.number_told(cells, number)
        if not flaw and told != number:
            flaw = f"number {number} given, {told} by the seeds of its games"
        theta: Mapping[str, Value] | None = None
        if flaw:
            self.of.thetas.flaws.append(f"{name}: {flaw}")
            theta, origin = self.point_told(key, point)
            if theta is None:
                for each in (*cells.values(), *([] if cell is None else [cell])):
                    self.of.mending.delete(each)
                return
            record: dict[str, Any] = {"params": dict(theta), "origin": origin, "number": told}
            self.of.mending.attribute(cell, "study_user_attributes", self.of.rows.id, name, record)
        else:
            assert point is not None
            theta = point.params
        try:
            agent = self.of.experiment.build(theta)
        except ValueError as error:
            self.of.thetas.flaws.append(f"{name}: {error}")
            return
        has_failed = point is not None and bool(point.error)  # its failed game is not there
        is_whole = self.is_validated_to_the_end() and not has_failed
        wanted = range(max(cells, default=-1) + 1) if is_whole else cells
        for replicate in sorted({*cells, *wanted}):
            seed = validation_seed(self.of.record.seed, told, replicate)
            where = f"point {key}, replicate {replicate}"
            game, stored = self.of.examine_game(where, cells.get(replicate), seed)
            if seed in search:
                self.of.seeds.flaws.append(f"{where}: seed {seed} is one of the search")
            keep = partial(self.keep_validation_game, key, replicate, cells.get(replicate))
            self.of.entries.append(Entry(where, agent, seed, game, stored, keep))

    def number_told(self, cells: dict[int, Cell], number: int) -> int:
        """Return the number of a point by the seeds of most of its games; else as it is stored."""
        first = self.of.record.seed * GAMES_A_STUDY_SEED
        votes = Counter[int]()
        for replicate, cell in cells.items():
            if (game := self.of.game_in(cell)) is not None and game.seed >= first:
                for each in range(len(self.of.rows.attributes)):
                    if game.seed == validation_seed(self.of.record.seed, each, replicate):
                        votes[each] += 1
                        break
        if not votes:
            return number
        (likeliest, count), *_ = votes.most_common(1)
        return likeliest if count > len(cells) / 2 and count > votes[number] else number

    def point_told(self, key: str, point: Any) -> tuple[Mapping[str, Value] | None, str]:
        """Return θ with this key, and its origin, from wherever else it is; None if nowhere."""
        for number, trial in enumerate(self.of.rows.trials):
            try:
                theta = self.of.space.clip(trial.theta())
            except (ValueError, KeyError, InputError, TypeError):
                continue
            if key_of(theta) == key:
                return theta, f"trial {number}"
        for origin, values in self.of.experiment.baselines.items():
            if key_of(theta := self.of.space.clip(values)) == key:
                return theta, origin
        exported = thetas_of(self.of.folder / "front.csv", "point", self.of.space).get(key)
        stored = None if point is None else point.params
        for theta_ in (exported, stored):
            if theta_ is not None and key_of(theta_) == key:
                return theta_, "proposal"
        return None, ""

    def is_validated_to_the_end(self) -> bool:
        """Return whether no validation was interrupted, which leaves gaps among the replicates."""
        runs = [value for key, value in self.of.attributes.items() if key.startswith(RUN_PREFIX)]
        validations = [
            run for run in runs if isinstance(run, dict) and run.get("phase") == "validation"
        ]
        return bool(validations) and all("n_games" in run for run in validations)

    def keep_validation_game(
        self, key: str, replicate: int, cell: Cell | None, game: Outcome
    ) -> None:
        """Store a game that was played in place of a damaged one."""
        self.of.mending.game(cell, self.of.rows.id, (VALIDATION, key), replicate, game)
