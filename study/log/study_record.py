"""The record of the settings that made a study, stored with it and in its manifest."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, get_type_hints

from thetafront.study.errors import InputError, error_context
from thetafront.study.experiments.constraints import ConstraintFunction
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.definition_record import DEPENDS_ON, DIGESTS, Definition
from thetafront.study.experiments.dimension import range_text
from thetafront.study.experiments.players import BuiltinPlayer, Player, RecordedPlayer
from thetafront.study.experiments.registry import EXPERIMENTS, experiment
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.table_call import allowed, fits
from thetafront.study.log.invocation import option
from thetafront.study.log.seeds import shortened

ATTRIBUTE = "thetafront"
"""The user attribute of Optuna's study that has the record in studies of earlier versions, and only
the format in mirrors."""
FORMAT = 3
FORMATS = (1, 2, FORMAT)
"""The formats that can be read; in studies of the first two, Optuna stored the trials."""


@dataclass(frozen=True)
class StudyRecord:
    """The settings that made a study, as they are stored with it.

    ``space`` is the search space of future trials. ``widened`` has an entry for each time that a
    parameter's range became wider: the parameter's name, the previous ``low`` and ``high``, the
    number of trials at that time (``n_trials``), and the time (``at``). The record is one row of
    the log, so a space is widened completely or not at all. Trials keep their numbers, and
    therefore their seeds.

    ``definition`` describes an experiment that is not built in
    (:mod:`study.experiments.definition_record`). ``accepted`` has an entry for each time that a
    changed definition was accepted: the number of trials at that time (``n_trials``), the
    ``changes``, and the time (``at``). ``constraints`` has the text of each constraint. For a
    constraint that is a Python function, this is the function's name with ``()``; the code is in
    the definition. ``direction`` is the goal's direction.
    """

    experiment: str
    space: list[dict[str, Any]]
    seed: int
    design: str
    design_size: int
    cost: str = "seconds_per_move"
    fixed: dict[str, Any] = field(default_factory=dict)
    widened: list[dict[str, Any]] = field(default_factory=list)
    definition: dict[str, Any] | None = None
    accepted: list[dict[str, Any]] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    direction: str = ""

    @classmethod
    def read(cls, stored: Any, name: str) -> "StudyRecord":
        """Read a study's record as it is stored; ``name`` is for messages.

        InputError if thetafront did not make the study, or if the record's format is unknown;
        DamageError if a value of the record cannot be read.
        """
        if not isinstance(stored, Mapping):
            raise InputError(f"study: {name!r} was not made by thetafront")
        known = fields(cls)
        required = {
            each.name
            for each in known
            if each.default is MISSING and each.default_factory is MISSING
        }
        if stored.get("format", FORMAT) not in FORMATS or not required <= set(stored):
            raise InputError(
                f"study: {name!r} was made by another version of thetafront "
                f"(format {stored.get('format')}, not {' or '.join(map(str, FORMATS))})"
            )
        with error_context(ATTRIBUTE):
            for key, hint in get_type_hints(cls).items():
                if key in stored and not fits(stored[key], hint):
                    given = shortened(stored[key])
                    raise ValueError(f"{key} must be {allowed(hint)} (got {given})")
            for each in (*stored["space"], *stored.get("widened", [])):
                check_dimension(each)
            if "definition" in stored:
                Definition.read(stored["definition"])
            for each in stored.get("widened", []):
                if type(each.get("n_trials")) is not int:
                    raise ValueError(f"widened must have n_trials (got {shortened(each)})")
        return cls(**{each.name: stored[each.name] for each in known if each.name in stored})

    def as_data(self) -> dict[str, Any]:
        """Return the record as plain data, without a definition if the experiment is built in."""
        record = asdict(self)
        if self.definition is None:
            del record["definition"], record["accepted"]
        if not self.constraints:
            del record["constraints"]
        return record

    @property
    def spaces(self) -> list[list[dict[str, Any]]]:
        """All spaces that the study has had, the latest first, and the one it began with last."""
        found = [self.space]
        for change in reversed(self.widened):
            ends = {"low": change["low"], "high": change["high"]}
            found.append(
                [{**each, **ends} if each["name"] == change["name"] else each for each in found[-1]]
            )
        return found

    @property
    def design_space(self) -> Space:
        """The space from which the initial design was drawn; later widenings do not change it."""
        n_later = sum(each["n_trials"] > 0 for each in self.widened)
        return self.space_of(self.spaces[n_later])

    def space_of(self, records: Sequence[Mapping[str, Any]]) -> Space:
        """Return a space of the study; constraint functions are loaded when they are called."""
        constraints = [
            ConstraintFunction(DefinedFunction(self.source, each), each)
            if each.endswith("()")
            else each
            for each in self.constraints
        ]
        return Space.from_records(records, constraints)

    def with_space(self, space: Space, n_trials: int) -> "StudyRecord":
        """Return the record of a study whose space becomes wider when it has ``n_trials``."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        after = space.as_records()
        changed = [
            {"name": old["name"], "low": old["low"], "high": old["high"]}
            for old, new in zip(self.space, after, strict=True)
            if without_symbols([old]) != without_symbols([new])
        ]
        entries = [{**each, "n_trials": n_trials, "at": now} for each in changed]
        return replace(self, space=after, widened=[*self.widened, *entries])

    def check_direction(self, experiment: Experiment, name: str) -> None:
        """Raise InputError if the experiment's goal has another direction than the study's."""
        goal = experiment.goal
        if self.direction not in {"", goal.direction}:
            raise InputError(
                f"study: {name!r} was made to {self.direction} the {goal.label}, but the "
                f"{experiment.name!r} experiment is to {goal.direction} it; give another name"
            )

    def differences(self, other: "StudyRecord") -> list[str]:
        """Return a phrase for each setting in which another record differs from this one."""
        phrases = []
        if self.defined is None and other.defined is not None:
            phrases.append(f"the built-in experiment {self.experiment!r}, not your own")
        if self.defined is not None and other.defined is None:
            phrases.append(f"your own experiment {self.experiment!r}, not the built-in one")
        for name in ("experiment", "seed", "design", "design_size", "cost", "fixed", "constraints"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                phrases.append(f"{name.replace('_', ' ')} {mine}, not {theirs}")
        old, new = without_symbols(self.spaces[-1]), without_symbols(other.spaces[-1])
        if self.experiment == other.experiment and old != new:
            changed = [range_text(each) for each in old if each not in new]
            names = {each["name"] for each in old}
            changed += [f"no {each['name']}" for each in new if each["name"] not in names]
            phrases.append(f"another search space ({', '.join(changed) or 'in another order'})")
        return phrases

    def is_of_same_study(self, other: "StudyRecord") -> bool:
        """Return whether another record is this one, or an earlier or later one of this study."""
        accepted = zip(self.accepted, other.accepted, strict=False)
        widened = zip(self.widened, other.widened, strict=False)
        is_same = all(mine == theirs for mine, theirs in (*accepted, *widened))
        return is_same and not self.differences(other)

    @property
    def defined(self) -> Definition | None:
        """The definition of an experiment that is not built in."""
        return None if self.definition is None else Definition.read(self.definition)

    def changes(self, other: "StudyRecord") -> list[str]:
        """Return how another record's definition differs; nothing if the experiment is built in."""
        if self.defined is None or other.defined is None:
            return []
        return self.defined.changes(other.defined)

    def at(self, source: str) -> "StudyRecord":
        """Return the record with another name or path of the definition."""
        assert self.definition is not None
        return replace(self, definition={**self.definition, "source": source})

    def found_again(self, other: "StudyRecord") -> "StudyRecord":
        """Return the record with the path and dependencies of the same definition in ``other``."""
        if self.definition is None or other.definition is None:
            return self
        content, theirs = dict(self.definition["content"]), other.definition["content"]
        content |= {key: theirs[key] for key in (DEPENDS_ON, DIGESTS) if key in theirs}
        return replace(self, definition={**self.definition, "content": content}).at(other.source)

    def check_named(self, experiment: Experiment) -> None:
        """Raise InputError if what values of a built-in agent name has changed, such as a maze."""
        if self.defined is not None and isinstance(experiment.player, BuiltinPlayer):
            known = self.defined.content.get(DIGESTS, {})
            experiment.player.check_digests(known, experiment.space, experiment.fixed)

    def accepting(self, other: "StudyRecord", n_trials: int) -> "StudyRecord":
        """Return the record of a study that continues with a changed definition."""
        entry = {
            "n_trials": n_trials,
            "changes": self.changes(other),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        return replace(self, definition=other.definition, accepted=[*self.accepted, entry])

    @property
    def source(self) -> str:
        """The name or path of the experiment on the command line."""
        return self.experiment if self.defined is None else self.defined.source

    def made_with(self, experiment: Experiment) -> "StudyRecord":
        """Return the record that the study would have if it were made with an experiment."""
        is_open = self.defined is not None and experiment.is_open
        now = experiment.by(self.cost) if is_open else experiment
        return replace(
            self,
            space=now.space.as_records(),
            fixed=dict(now.fixed),
            widened=[],
            definition=make_definition(now),
            constraints=now.space.constraints_as_records(),
        )

    def current_player(self) -> Player:
        """Return the player of an experiment that is not built in.

        InputError if its definition is gone, or has changed.
        """
        assert self.defined is not None
        if not self.defined.source:
            raise InputError(
                f"study: {self.experiment!r} was defined in a script or notebook; to play its "
                "games, call thetafront.sweep there, or pass experiment= to open_study"
            )
        try:
            today = experiment(self.source)
        except InputError as error:
            raise InputError(
                f"study: its definition {self.source} cannot be read: {error}"
            ) from None
        if changed := self.changes(self.made_with(today)):
            way = f"to accept this, resume the sweep with {option('accept-change')}"
            if today.name != self.experiment:
                way = f"first restore its name, {self.experiment}"
            raise InputError(
                f"study: the definition {self.source} has changed: {'; '.join(changed)}; {way}"
            )
        return today.player

    def experiment_as_made(self) -> Experiment:
        """Return the study's experiment, with the search space of this record.

        InputError if this version has no such experiment, cost or parameter.
        """
        if self.defined is not None:
            player = RecordedPlayer(self.source, self.current_player)
            try:
                space = self.space_of(self.space)
                return self.defined.experiment(
                    self.experiment, space, self.cost, self.fixed, player
                )
            except (TypeError, ValueError, KeyError, StopIteration) as error:
                raise InputError(f"study: its definition cannot be read: {error}") from None
        found = experiment(self.experiment).by(self.cost)
        is_same_space = without_symbols(self.space) == without_symbols(found.space.as_records())
        if is_same_space and self.fixed == found.fixed:
            return found
        try:
            return found.as_made(self.space_of(self.space), self.fixed)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"study: made with a search space that this version does not know: {error}"
            ) from None


@dataclass
class DefinedFunction:
    """A constraint function of a definition, found by name; if it is missing, all θ satisfy it."""

    source: str
    name: str

    @cached_property
    def found(self) -> ConstraintFunction | None:
        """The function that has this name now, if there is one."""
        try:
            rules = experiment(self.source).space.rules if self.source else ()
        except InputError:
            return None
        functions = (each for each in rules if isinstance(each, ConstraintFunction))
        return next((each for each in functions if each.text == self.name), None)

    def __call__(self, theta: Mapping[str, Any]) -> bool:
        """Return whether θ is allowed."""
        return self.found is None or self.found(theta)


def missing_functions(space: Space) -> list[str]:
    """Return the constraint functions of a study's space that are missing."""
    functions = [each.function for each in space.rules if isinstance(each, ConstraintFunction)]
    stored = [each for each in functions if isinstance(each, DefinedFunction)]
    return [each.name for each in stored if each.found is None]


def make_definition(experiment: Experiment) -> dict[str, Any] | None:
    """Return an experiment's definition for the study's record; None if it is built in."""
    is_named = experiment.name in EXPERIMENTS and not experiment.source
    if is_named and not experiment.player.is_external:
        return None
    return asdict(Definition.from_experiment(experiment))


def check_dimension(stored: Any) -> None:
    """Raise ValueError unless this is a search space's dimension, as stored by some version."""
    if isinstance(stored, Mapping) and isinstance(stored.get("name"), str):
        bounds = stored.get("low"), stored.get("high")
        is_named = isinstance(stored.get("symbol", ""), str)
        has_bounds = all(type(x) in {int, float} for x in bounds)
        if is_named and (isinstance(stored.get("choices"), list) or has_bounds):
            return
    raise ValueError(f"space must have dimensions (got {shortened(stored)})")


def without_symbols(space: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a space without what may change: symbols (for display), and limits on bounds."""
    left_out = {"symbol", "least", "most"}
    found = [{key: each[key] for key in each if key not in left_out} for each in space]
    # Earlier versions stored all choices of a TOML file as texts.
    words = [
        {"choices": [*map(str, each["choices"])]} if "choices" in each else {} for each in found
    ]
    return [each | of_each for each, of_each in zip(found, words, strict=True)]
