"""A study's rows examined: what is damaged, what mends it, and the games to be played again.

Whatever the rest of the study tells is used: the design tells θ of its trials, an earlier export
tells θ of the others, a key tells whether a point's θ is right, and seeds tell the games. What no
seed or value tells is lost: such a trial is marked failed, and such a point is removed.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thetafront.agents.agent import Outcome
from thetafront.study.errors import DamageError, InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.samplers.design import draw_design
from thetafront.study.store.cell import Cell
from thetafront.study.store.exported import attributes_in, manifest_in
from thetafront.study.store.objectives import directions_of
from thetafront.study.store.seeds import (
    record_to_outcome,
    replicate_of,
)
from thetafront.study.store.study_record import (
    ATTRIBUTE,
    RUN_PREFIX,
    StudyRecord,
    stored_run,
)
from thetafront.study.store.study_rows import StudyRows, flaw_of
from thetafront.study.store.validated_points import GAME_PREFIX as VALIDATION_PREFIX
from thetafront.study.store.validated_points import POINT_PREFIX
from thetafront.study.verify.mending import Mending
from thetafront.study.verify.replay import Entry
from thetafront.study.verify.report import Check


class Examination:
    """A study's rows, and what is known of the study as a whole.

    Parameters
    ----------
    rows : StudyRows
        As they are.
    name : str
        The study's.
    folder : Path
        Its tables and manifest, which may tell what is damaged in the rows.

    Attributes
    ----------
    checks : list of Check
        What was checked, and what is wrong.
    entries : list of Entry
        All games that there are or should be.
    mending : Mending
        What mends the rows.

    Raises
    ------
    InputError
        If thetafront did not make the study.
    DamageError
        If what made the study cannot be read.
    """

    def __init__(self, rows: StudyRows, name: str, folder: Path) -> None:
        self.rows = rows
        self.name = name
        self.folder = folder
        self.mending = Mending()
        self.entries: list[Entry] = []
        self.values = Check("stored values")
        self.thetas = Check("θ of trials and points")
        self.games = Check("games readable")
        self.seeds = Check("seeds")
        self.objectives = Check("objectives of complete trials")
        self.known = attributes_in(manifest_in(folder))
        self.attributes = self.read_attributes()
        self.record = self.read_record()
        self.experiment: Experiment = self.record.experiment_as_made()
        self.space = self.experiment.space
        self.examine_directions()
        self.design = self.draw()

    @property
    def checks(self) -> list[Check]:
        """What was checked."""
        return [self.values, self.thetas, self.games, self.seeds, self.objectives]

    def read_attributes(self) -> dict[str, Any]:
        """Return the study's attributes that can be read; mend those that an export tells."""
        found: dict[str, Any] = {}
        for key, cell in self.rows.attributes.items():
            self.values.n += 1
            is_game = key.startswith((VALIDATION_PREFIX, POINT_PREFIX))
            flaw = flaw_of(cell)
            if not flaw:
                found[key] = cell.json
                try:
                    if key.startswith(RUN_PREFIX):
                        replicate_of(key.removeprefix(RUN_PREFIX))
                        stored_run(found[key])
                except ValueError as error:
                    flaw = str(error)
            if flaw and not is_game and key != ATTRIBUTE:
                self.values.flaws.append(f"{key}: {flaw}")
                found[key] = self.known.get(key, {} if key.startswith(RUN_PREFIX) else True)
                self.mending.attribute(cell, cell.table, self.rows.id, key, found[key])
        for key, cell in self.rows.notes.items():
            self.values.n += 1
            if flaw := flaw_of(cell):
                self.values.flaws.append(f"{key}: {flaw}")
                self.mending.delete(cell)
        for cells in self.rows.games.values():
            for game in cells.values():
                if not isinstance(game.machine, str | None):
                    self.values.flaws.append(f"{game.where}: machine {game.machine!r} given")
                    self.mending.set(game.table, game.row, machine=None)
        return found

    def read_record(self) -> StudyRecord:
        """Return what made the study, by an earlier export if the study's own is damaged."""
        try:
            record = StudyRecord.read(self.attributes, self.name)
            record.experiment_as_made()
        except (InputError, DamageError) as error:
            if ATTRIBUTE not in self.known:
                raise
            record = StudyRecord.read(self.known, self.name)
            self.values.flaws.append(str(error))
            cell = self.rows.attributes.get(ATTRIBUTE)
            value = self.known[ATTRIBUTE]
            self.mending.attribute(cell, "study_user_attributes", self.rows.id, ATTRIBUTE, value)
        return record

    def examine_directions(self) -> None:
        """Compare the directions of the objectives with those of the experiment."""
        expected = [each.name for each in directions_of(self.experiment.goal)]
        if self.rows.directions != expected:
            self.values.flaws.append(
                f"directions {self.rows.directions} given, {expected} expected"
            )
            self.mending.delete_rows("study_directions", "study_id", self.rows.id)
            for number, direction in enumerate(expected):
                self.mending.insert(
                    "study_directions", direction=direction, study_id=self.rows.id, objective=number
                )

    def draw(self) -> list[dict[str, Any]]:
        """Return the initial design."""
        record = self.record
        try:
            return draw_design(record.design, record.design_space, record.design_size, record.seed)
        except InputError:
            return []

    def game_in(self, cell: Cell) -> Outcome | None:
        """Return the game in a cell; None if it cannot be read."""
        try:
            game = record_to_outcome(cell.json, self.experiment.summary.game)
        except ValueError:
            return None
        return game if game.is_possible else None

    def examine_game(
        self, where: str, cell: Cell | None, seed: int
    ) -> tuple[Outcome | None, Mapping[str, Any]]:
        """Return a stored game if it is whole and has its seed, and what is stored of it."""
        self.games.n += 1
        if cell is None:
            self.games.flaws.append(f"{where}: not there")
            return None, {}
        stored: Mapping[str, Any] = {}
        try:
            record = cell.json
            stored = record if isinstance(record, dict) else {}
            game = record_to_outcome(record, self.experiment.summary.game)
            if not game.is_possible:
                raise ValueError(f"no game of {game.kind} has these figures")
        except ValueError as error:
            self.games.flaws.append(f"{where}: {error}")
            return None, stored
        self.seeds.n += 1
        if game.seed != seed:
            self.seeds.flaws.append(f"{where}: seed {game.seed} given, {seed} expected")
            return None, stored
        return game, stored
