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

ATTRIBUTE = "thetafront"
FORMAT = 1
RUN_PREFIX = "run:"
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


def without_symbols(space: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the parameters' symbols, which are for display and may be renamed."""
    return [{key: each[key] for key in each if key != "symbol"} for each in space]


def runs_in(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what made each run of the study, in order."""
    indices = [int(key[len(RUN_PREFIX) :]) for key in attributes if key.startswith(RUN_PREFIX)]
    return [attributes[f"{RUN_PREFIX}{index}"] for index in sorted(indices)]


def store_run(study: optuna.Study, run: Mapping[str, Any], index: int | None = None) -> int:
    """Add what made a run to the study, or overwrite an earlier one; return its index."""
    index = len(runs_in(study.user_attrs)) if index is None else index
    study.set_user_attr(f"{RUN_PREFIX}{index}", dict(run))
    return index
