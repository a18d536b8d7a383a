"""A study's record of a user's experiment: the study can be read even if the definition is lost.

The record has all that tables and figures need. More games can be played only if the definition is
still in the same place, and has the same content and the same digest of its code or program.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, get_origin, get_type_hints

from thetafront.agents.agent import Game, digits
from thetafront.agents.external.dependencies import Dependencies
from thetafront.agents.external.limits import Limits
from thetafront.study.experiments.constraints import ConstraintFunction
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import MAX_FAILURES
from thetafront.study.experiments.game_summary import GameSummary, MatchSummary, TileSummary
from thetafront.study.experiments.objectives.costs import TIME_UNITS, Cost, words_of
from thetafront.study.experiments.objectives.estimators import (
    Estimator,
    ExactValue,
    GrowingMean,
    NoisyMean,
    Proportion,
)
from thetafront.study.experiments.objectives.formats import FittingFormat, Format, MatchFormat
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.experiments.players import BuiltinPlayer, Player, ProgramPlayer, PythonPlayer
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.table_call import fits

ESTIMATORS: dict[str, type[Estimator]] = {
    each.__name__: each for each in (ExactValue, GrowingMean, NoisyMean, Proportion)
}
FORMATS: dict[str, type[Format]] = {
    each.__name__: each for each in (FittingFormat, Format, MatchFormat)
}
SUMMARIES: dict[str, type[GameSummary]] = {
    each.__name__: each for each in (GameSummary, MatchSummary, TileSummary)
}
CLASS = "class"
DEPENDS_ON = "depends_on"
"""Key of the entry that records everything that the code of a script or notebook refers to.

Studies of earlier versions have one digest of a part of that code instead.
"""
DIGESTS = "digests"  # of networks and files that a built-in agent's values name
NOT_SHOWN = rf"^({DEPENDS_ON}|{DIGESTS})\."
FIRST_OBJECTIVE = ("name", "sample", "estimator", "limits", "direction", "penalty")
SHOWN = 40


def with_label_of_today(cost: Cost) -> Cost:
    """Return a cost with today's label if it has a default label of earlier versions."""
    per = "move" if cost.per_move else "game"
    counted = cost.counted.replace("_", " ")
    of_today = {"CPU time": "CPU time", "time": "time", counted: words_of(cost.counted, cost.unit)}
    for words, now in of_today.items():
        if cost.label in {f"{words} a {per}", f"{words} per {per}"}:
            return replace(cost, label=f"{now} per {per}")
    return cost


@dataclass(frozen=True)
class Definition:
    """The record of an experiment's definition."""

    source: str  # file, or module and name; empty for a definition in a script or notebook
    # Digest of the code, or of the program and the files that its command names; empty for code in
    # a script or notebook.
    digest: str
    content: dict[str, Any]  # the rest of the definition, as JSON data

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> "Definition":
        """Return the record of an experiment."""
        player, space = experiment.player, experiment.space
        found = player.dependencies
        functions = {
            each.text: Dependencies(each.function).texts
            for each in space.rules
            if isinstance(each, ConstraintFunction)
            and not (experiment.source and isinstance(player, PythonPlayer))
        }
        digests = None
        if isinstance(player, BuiltinPlayer):
            digests = player.digests(space, experiment.fixed)
        share = experiment.max_failures
        content = {
            "title": experiment.title,
            "goal": goal_record(experiment.goal),
            "costs": [asdict(with_label_of_today(each)) for each in experiment.costs],
            "is_open": experiment.is_open,
            "reference_score": experiment.reference_score,
            "reference_costs": dict(experiment.reference_costs),
            "baselines": {name: dict(each) for name, each in experiment.baselines.items()},
            "program": player.program.as_record() if isinstance(player, ProgramPlayer) else None,
            "agent": player.agent if isinstance(player, BuiltinPlayer) else None,
            "summary": {
                CLASS: type(experiment.summary).__name__,
                "game": experiment.summary.game.kind,
                "has_moves": experiment.summary.has_moves,
            },
        }
        where_unusual = {
            "functions": functions or None,
            DEPENDS_ON: None if found is None else found.texts,
            DIGESTS: digests or None,
            "limits": limits_record(player),
            "max_failures": None if share == MAX_FAILURES else share,
        }
        content |= {key: each for key, each in where_unusual.items() if each is not None}
        return cls(experiment.source, player.digest, content)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Definition":
        """Read a stored record; ValueError if it is invalid."""
        try:
            found = cls(str(record["source"]), str(record["digest"]), dict(record["content"]))
            goal = goal_from_record(found.content["goal"])
            costs = [with_label_of_today(Cost(**each)) for each in found.content["costs"]]
            found.content["costs"] = [asdict(each) for each in costs]
            for each in (goal, goal.format, summary_from_record(found.content["summary"]), *costs):
                check_kinds(each)
            goal.format.text(0.5)
            for values in found.content["baselines"].values():
                dict(values)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"definition: {error!r}") from None
        return found

    def experiment(
        self, name: str, space: Space, cost: str, fixed: Mapping[str, Any], player: Player
    ) -> Experiment:
        """Return the experiment. Its games can be played only if its player is available.

        If the agent is a user's, ``player`` plays the games; a built-in agent needs no ``player``.
        """
        costs = tuple(Cost(**each) for each in self.content["costs"])
        goal, builtin = goal_from_record(self.content["goal"]), self.content["agent"]
        baselines = {
            label: values
            for label, values in self.content["baselines"].items()
            if space.is_whole(values) and not space.broken_by(values)
        }
        made = partial(
            Experiment,
            name=name,
            space=space,
            fixed=fixed,
            summary=summary_from_record(self.content["summary"]),
            goal=goal,
            cost=next(each for each in costs if each.name == cost),
            costs=costs,
            title=self.content["title"],
            reference_score=self.content["reference_score"],
            reference_costs=self.content["reference_costs"],
            baselines=baselines,
            source=self.source,
            max_failures=self.content.get("max_failures", MAX_FAILURES),
        )
        if not builtin:
            return made(agent=player)
        with suppress(ValueError):
            if (found := made(agent=builtin)).goal == goal:
                return found
        # A newer rule refuses the definition, or reads it differently.
        return made(agent=BuiltinPlayer(builtin, (goal, set(costs), baselines)))

    def changes(self, now: "Definition") -> list[str]:
        """Return a phrase for each difference between this and the current definition."""
        mine, theirs = dict(flat(self.content)), dict(flat(now.content))
        follows = ["is_open", "summary.has_moves"]  # both follow from the costs
        follows += ["costs"] * now.content["is_open"]  # the study's first game settled the costs
        of_later_versions = (DEPENDS_ON, DIGESTS, "functions")
        follows += [each for each in of_later_versions if self.content.get(each) is None]
        keys = [key for key in {**mine, **theirs} if not key.startswith(tuple(follows))]
        phrases = [
            f"{re.sub(NOT_SHOWN, '', key)} is now {shown(theirs.get(key))}, "
            f"not {shown(mine.get(key))}"
            for key in keys
            if mine.get(key) != theirs.get(key)
            and not (key.startswith("baselines.") and str(mine.get(key)) == str(theirs.get(key)))
        ]
        if self.source and DEPENDS_ON in now.content and DEPENDS_ON not in self.content:
            phrases.append(f"it is no longer loaded from {self.source}, as `load_experiment` does")
        if self.digest != now.digest and DEPENDS_ON not in now.content:
            what = "the program or a file of its command" if self.content["program"] else "the code"
            phrases.append(f"{what} now has the digest {now.digest}, not {self.digest}")
        return phrases

    def objectives_changed(self, now: "Definition") -> list[str]:
        """Return the changes of objectives that make earlier trials unusable."""
        was, is_now = self.content, now.content
        phrases = [
            f"objective's {key} is now {is_now['goal'].get(key)}, not {was['goal'].get(key)}"
            for key in FIRST_OBJECTIVE
            if was["goal"].get(key) != is_now["goal"].get(key)
        ]
        costs = [sorted(each["name"] for each in found["costs"]) for found in (was, is_now)]
        if costs[0] != costs[1] and not is_now["is_open"]:
            phrases.append(f"cost is now {', '.join(costs[1])}, not {', '.join(costs[0])}")
        units = [{each["name"]: each["unit"] for each in found["costs"]} for found in (was, is_now)]
        phrases += [
            f"unit of {name} is now {now_in}, not {unit}"
            for name, unit in units[0].items()
            if unit and (now_in := units[1].get(name))
            if TIME_UNITS.get(unit) != TIME_UNITS.get(now_in)
        ]
        return phrases


def summary_from_record(record: Mapping[str, Any]) -> GameSummary:
    """Return the summary of games that a record describes."""
    return SUMMARIES[record[CLASS]](Game.kinds[record["game"]], record["has_moves"])


def limits_record(player: Player) -> dict[str, Any] | None:
    """Return a Python agent's limits and environment variables; None if they are the defaults."""
    if not isinstance(player, PythonPlayer) or player.limits == Limits():
        return None
    found = {key: each for key, each in asdict(player.limits).items() if each != math.inf}
    environment = {key: digits(each) for key, each in player.limits.environment.items()}
    return {**found, "environment": environment}


def goal_record(goal: Goal) -> dict[str, Any]:
    """Return a goal as JSON data."""
    return {
        **vars(goal),
        "estimator": type(goal.estimator).__name__,
        "format": {CLASS: type(goal.format).__name__, **asdict(goal.format)},
        "limits": list(goal.limits),
        "reported_too": [goal_record(each) for each in goal.reported_too],
    }


def goal_from_record(record: Mapping[str, Any]) -> Goal:
    """Read back what :func:`goal_record` returned."""
    fields, form = dict(record), dict(record["format"])
    low, high = (None if each is None else float(each) for each in fields.pop("limits"))
    return Goal(
        **{
            **fields,
            "estimator": ESTIMATORS[record["estimator"]](low, high),
            "format": FORMATS[form.pop(CLASS)](**form),
            "reported_too": tuple(map(goal_from_record, record["reported_too"])),
        }
    )


def check_kinds(made: Any) -> None:
    """Raise ValueError if a field of a dataclass has a value that its annotation excludes."""
    for name, hint in get_type_hints(type(made)).items():
        value = getattr(made, name)
        if get_origin(hint) not in {tuple, type} and not fits(value, hint):
            expected = getattr(hint, "__name__", hint)
            raise ValueError(f"{name} must be {expected} (got {shown(value)})")


def flat(record: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value in nested data, with a dotted name such as ``goal.label``."""
    if isinstance(record, Mapping):
        for name, each in record.items():
            yield from flat(each, f"{key}.{name}" if key else str(name))
    elif isinstance(record, list | tuple) and any(isinstance(x, Mapping | list) for x in record):
        for number, each in enumerate(record):
            yield from flat(each, f"{key}.{number}")
    else:
        yield key, list(record) if isinstance(record, tuple) else record


def shown(value: Any) -> str:
    """Write a value for a message."""
    text = "nothing" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
