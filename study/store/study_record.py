"""What a study remembers of itself: what made it, and the runs that added to it.

Both are user attributes of the optuna study: ``thetafront``, and ``run:<index>`` for each run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any

import optuna
from optuna.study import StudyDirection

from study.errors import InputError
from study.experiments.definition import Experiment
from study.experiments.registry import experiment
from study.experiments.space import Space, range_of
from study.store.damage import locating
from study.store.seeds import replicate_of, shortened

ATTRIBUTE = "thetafront"
FORMAT = 1
RUN_PREFIX = "run:"
KINDS: dict[str, type] = {
    "experiment": str,
    "space": list,
    "seed": int,
    "design": str,
    "design_size": int,
    "cost": str,
    "fixed": dict,
}
DIRECTIONS = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)


@dataclass(frozen=True)
class StudyRecord:
    """What made a study, as it is stored with it."""

    experiment: str
    space: list[dict[str, Any]]
    seed: int
    design: str
    design_size: int
    cost: str = "seconds_per_move"
    fixed: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, attributes: Mapping[str, Any], name: str) -> "StudyRecord":
        """Read a study's record from its user attributes; ``name`` is for messages.

        Raises
        ------
        InputError
            If thetafront did not make the study, or another version of it.
        DamageError
            If a value of the record cannot be read.
        """
        stored = attributes.get(ATTRIBUTE)
        if not isinstance(stored, Mapping):
            raise InputError(f"study: {name!r} was not made by thetafront")
        known = fields(cls)
        required = {
            each.name
            for each in known
            if each.default is MISSING and each.default_factory is MISSING
        }
        if stored.get("format") != FORMAT or not required <= set(stored):
            raise InputError(
                f"study: {name!r} was made by another version of thetafront "
                f"(format {stored.get('format')}, not {FORMAT})"
            )
        with locating(ATTRIBUTE):
            for field_name, kind in KINDS.items():
                if field_name in stored and type(stored[field_name]) is not kind:
                    given = shortened(stored[field_name])
                    raise ValueError(f"{field_name} {given} given, {kind.__name__} expected")
            for each in stored["space"]:
                check_dimension(each)
        return cls(**{each.name: stored[each.name] for each in known if each.name in stored})

    def store(self, study: optuna.Study) -> None:
        """Write the record into a study."""
        study.set_user_attr(ATTRIBUTE, {"format": FORMAT, **asdict(self)})

    def differences(self, other: "StudyRecord") -> list[str]:
        """Say, a phrase each, in what another record differs from this one."""
        phrases = []
        for name in ("experiment", "seed", "design", "design_size", "cost", "fixed"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                phrases.append(f"{name.replace('_', ' ')} {mine}, not {theirs}")
        old, new = without_symbols(self.space), without_symbols(other.space)
        if self.experiment == other.experiment and old != new:
            changed = [range_of(each) for each in old if each not in new]
            names = {each["name"] for each in old}
            changed += [f"no {each['name']}" for each in new if each["name"] not in names]
            phrases.append(f"another search space ({', '.join(changed) or 'in another order'})")
        return phrases

    def of_today(self) -> "StudyRecord":
        """Return the record of a study that is made with the experiment of today."""
        today = experiment(self.experiment)
        return replace(self, space=today.space.as_records(), fixed=dict(today.fixed))

    def experiment_as_made(self) -> Experiment:
        """Return the study's experiment, with the search space that it had when the study was made.

        Raises
        ------
        InputError
            If this version has no such experiment, cost or parameter.
        """
        found = experiment(self.experiment).by(self.cost)
        today = self.of_today()
        space_is_same = without_symbols(self.space) == without_symbols(today.space)
        if space_is_same and self.fixed == today.fixed:
            return found
        try:
            return found.as_made(Space.from_records(self.space), self.fixed)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"study: made with a search space that this version does not know: {error}"
            ) from None


def check_dimension(stored: Any) -> None:
    """Raise ValueError if this is no dimension of a search space, of any version."""
    if isinstance(stored, Mapping) and isinstance(stored.get("name"), str):
        bounds = stored.get("low"), stored.get("high")
        if isinstance(stored.get("choices"), list) or all(type(x) in {int, float} for x in bounds):
            return
    raise ValueError(f"{shortened(stored)} given in space, a dimension expected")


def without_symbols(space: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the parameters' symbols, which are for display and may be renamed."""
    return [{key: each[key] for key in each if key != "symbol"} for each in space]


def runs_in(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what made each run of the study, in order; DamageError if one cannot be read."""
    runs = {}
    for key, run in attributes.items():
        if key.startswith(RUN_PREFIX):
            with locating(key):
                runs[replicate_of(key[len(RUN_PREFIX) :])] = stored_run(run)
    return [runs[index] for index in sorted(runs)]


def stored_run(run: Any) -> dict[str, Any]:
    """Return a run's record; ValueError if it is none."""
    if not isinstance(run, dict):
        raise ValueError(f"{shortened(run)} given, the record of a run expected")
    seconds = run.get("seconds_each", {})
    if type(run.get("n_trials", 0)) is not int or not isinstance(seconds, dict):
        raise ValueError("a run with n_trials and seconds_each expected")
    if not all(isinstance(each, int | float) for each in seconds.values()):
        raise ValueError(f"seconds_each {shortened(seconds)} given, numbers expected")
    return run


def store_run(study: optuna.Study, run: Mapping[str, Any], index: int | None = None) -> int:
    """Add what made a run to the study, or overwrite an earlier one; return its index."""
    index = len(runs_in(study.user_attrs)) if index is None else index
    study.set_user_attr(f"{RUN_PREFIX}{index}", dict(run))
    return index
