"""The trials of a study examined: numbers, states, θ, games, and objectives by the games."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    distribution_to_json,
    json_to_distribution,
)

from thetafront.agents.agent import Agent, FailedGame, Game, Outcome
from thetafront.agents.parameters import Value
from thetafront.study.experiments.failures import counting_games
from thetafront.study.shrinkage import Moments
from thetafront.study.store.exported import thetas_of
from thetafront.study.store.games_table import SEARCH
from thetafront.study.store.seeds import (
    replicate_of,
    search_seed,
)
from thetafront.study.store.study_data import FIXED, check_theta
from thetafront.study.store.study_rows import FINITE, TrialRows, flaw_of, is_time
from thetafront.study.store.trial_games import GAME_PREFIX, MOMENTS_PREFIX, stored_moments
from thetafront.study.verify.examination import Examination
from thetafront.study.verify.replay import Entry
from thetafront.study.verify.trial_numbers import (
    COMPLETE,
    FAIL,
    LOST,
    RUNNING,
    STATES,
    WAITING,
    Trial,
    TrialNumbers,
)

TOLERANCE = 1e-9  # of what is computed from games again: other machines sum in other orders


class StoredTrials:
    """A study's trials, examined; what is found goes into the examination.

    Parameters
    ----------
    of : Examination
        The study as a whole.
    """

    def __init__(self, of: Examination) -> None:
        self.of = of
        exported = thetas_of(of.folder / "trials.csv", "trial", of.space)
        self.exported = {
            int(number): theta for number, theta in exported.items() if number.isdecimal()
        }
        numbers = TrialNumbers(of)
        self.trials, self.is_shared = numbers.trials, numbers.is_shared
        for trial in self.trials:
            self.examine(trial)

    def examine(self, trial: Trial) -> None:
        """Check one trial, and collect its games."""
        self.examine_rows(trial)
        theta = self.examine_theta(trial)
        self.examine_games(trial, theta)
        if trial.state == COMPLETE:
            self.of.objectives.n += 1
            self.examine_objectives(trial)

    def examine_rows(self, trial: Trial) -> None:
        """Check state, times and texts of a trial."""
        rows = trial.rows
        flaws = self.of.values.flaws
        for column, moment in (("datetime_start", rows.began), ("datetime_complete", rows.ended)):
            if moment is not None and not is_time(moment):
                flaws.append(f"{trial.where}: time {moment!r} given")
                self.of.mending.set("trials", rows.id, **{column: None})
        for key, cell in (rows.attributes | rows.notes).items():
            self.of.values.n += 1
            is_text = key in {"origin", "error"}
            if key.startswith((GAME_PREFIX, MOMENTS_PREFIX)) or key == FIXED:
                continue
            flaw = flaw_of(cell)
            if is_text and not flaw and not isinstance(cell.json, str):
                flaw = f"{cell.json!r} given, text expected"
            if flaw:
                flaws.append(f"{trial.where}, {key}: {flaw}")
                if is_text:
                    is_design = key == "origin" and trial.number < len(self.of.design)
                    text = "design" if is_design else "damaged"
                    self.of.mending.attribute(cell, cell.table, rows.id, key, text)
                else:
                    self.of.mending.delete(cell)
        trial.state = self.state_of(trial)
        if trial.state != rows.state:
            flaws.append(f"{trial.where}: state {rows.state!r} given, {trial.state} expected")
            self.of.mending.set("trials", rows.id, state=trial.state)

    def state_of(self, trial: Trial) -> str:
        """Return the state that a trial must have, by what is stored of it."""
        rows = trial.rows
        has_games = bool(trial.stored)
        if rows.values and has_games:
            return COMPLETE
        if rows.state == COMPLETE and not has_games:
            return FAIL
        if rows.state == FAIL and "error" not in rows.attributes and has_games:
            return RUNNING  # the next sweep goes on with it
        if rows.state == WAITING and has_games:
            return RUNNING
        if rows.state in STATES:
            return str(rows.state)
        if "error" in rows.attributes:
            return FAIL
        return RUNNING if rows.params else WAITING

    def examine_theta(self, trial: Trial) -> dict[str, Value] | None:
        """Return a trial's θ, mended if need be; None if it is lost, or not drawn yet."""
        rows = trial.rows
        self.of.thetas.n += 1
        fixed = self.fixed_of(trial)
        candidates = [each for each in (fixed, self.exported.get(trial.number)) if each]
        distributions = self.of.space.distributions()
        allowed = self.of.record.distributions()
        theta: dict[str, Value] = {}
        lost = []
        for parameter in self.of.space.in_order:
            name, distribution, flaw = parameter.name, distributions[parameter.name], ""
            if not self.of.space.is_active(parameter, theta):
                continue
            if name not in rows.params:
                if trial.state != COMPLETE:
                    return None  # not drawn yet
                flaw = f"no {name}"
            else:
                try:
                    value = rows.param(name)
                    check_theta(self.of.space, {name: value})
                    stored = rows.params[name][1].value
                    if stored != distribution_to_json(distribution):
                        flaw = self.other_distribution(stored, allowed[name])
                    if fixed and value != fixed.get(name, value):
                        flaw = f"{name} {value} given, {fixed[name]} in the design"
                    theta[name] = value
                except ValueError as error:
                    flaw = str(error)
                    if (raw := self.raw_param(rows, name, distribution)) is not None:
                        theta[name] = raw  # only its distribution is damaged
            if not flaw:
                continue
            self.of.thetas.flaws.append(f"{trial.where}: {flaw}")
            told = [each[name] for each in candidates if name in each]
            if not told and name in theta:
                told = [theta[name]]
            if not told:
                lost.append(name)
                continue
            theta[name] = told[0]
            internal = distribution.to_internal_repr(told[0])
            values = {
                "param_value": internal,
                "distribution_json": distribution_to_json(distribution),
            }
            if name in rows.params:
                self.of.mending.set("trial_params", rows.params[name][0].row, **values)
            else:
                self.of.mending.insert("trial_params", trial_id=rows.id, param_name=name, **values)
        known = set(distributions) if lost else set(self.of.space.active(theta))
        for name in set(rows.params) - known:
            self.of.thetas.flaws.append(f"{trial.where}: {name} given, no parameter of the space")
            self.of.mending.delete(rows.params[name][0])
        if trial.state == COMPLETE and not lost and (broken := self.of.space.broken_text(theta)):
            self.of.thetas.flaws.append(f"{trial.where}: {theta} does not satisfy {broken}")
        if lost:
            self.fail(trial)
            return None
        return theta

    def raw_param(self, rows: TrialRows, name: str, distribution: BaseDistribution) -> Value | None:
        """Return a parameter by the distribution that it should have; None if it is damaged."""
        stored = rows.params[name][0].value
        try:
            value: Value = distribution.to_external_repr(stored)
            check_theta(self.of.space, {name: value})
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        return value

    def other_distribution(self, stored: Any, allowed: Sequence[BaseDistribution]) -> str:
        """Say that a distribution is none that is allowed; empty if it only is written otherwise.

        The first one allowed is of the study's space today, others of before it was widened.
        """
        found = json_to_distribution(stored)
        return "" if found in allowed else f"{found} given, {allowed[0]} expected"

    def fixed_of(self, trial: Trial) -> dict[str, Any] | None:
        """Return θ that a trial of the design is to have, mended if it is damaged."""
        cell = trial.rows.notes.get(FIXED)
        if cell is None:
            return None
        try:
            fixed = cell.json
            check_theta(self.of.space, fixed, all_of_it=True)
            flaw = ""
        except ValueError as error:
            fixed, flaw = None, str(error)
        in_design = fixed in self.of.design
        if not flaw and not in_design and self.of.design:
            try:
                theta = trial.rows.theta()
            except ValueError:
                theta = {}
            if theta in self.of.design:
                flaw, fixed = "not as in the design", theta
        if not flaw:
            return dict(fixed)
        self.of.thetas.flaws.append(f"{trial.where}, {FIXED}: {flaw}")
        known = fixed or self.exported.get(trial.number)
        if known is None:
            same = trial.number < len(self.of.design)
            known = self.of.design[trial.number] if same else None
        if known is None:
            self.of.mending.delete(cell)
            return None
        self.of.mending.attribute(cell, cell.table, trial.rows.id, FIXED, known)
        return dict(known)

    def fail(self, trial: Trial) -> None:
        """Mark a trial that cannot be mended as failed."""
        trial.state = FAIL
        cell = trial.rows.attributes.get("error")
        self.of.mending.set("trials", trial.rows.id, state=FAIL)
        self.of.mending.delete_rows("trial_values", "trial_id", trial.rows.id)
        self.of.mending.delete_rows("trial_params", "trial_id", trial.rows.id)
        for key, each in trial.rows.attributes.items():
            if key.startswith(MOMENTS_PREFIX):
                self.of.mending.delete(each)
        for each in trial.stored.values():
            self.of.mending.delete(each)
        self.of.mending.attribute(cell, "trial_user_attributes", trial.rows.id, "error", LOST)

    def examine_games(self, trial: Trial, theta: dict[str, Value] | None) -> None:
        """Check a trial's games, and add them to those that can be played again."""
        for stored_as, cell in trial.stored.items():
            try:
                trial.cells[replicate_of(stored_as)] = cell
            except ValueError as error:
                self.of.games.flaws.append(f"{trial.where}, {GAME_PREFIX}{stored_as}: {error}")
                self.of.mending.delete(cell)
        if theta is None or not (trial.cells or trial.state == COMPLETE):
            return
        agent = self.agent_of(theta, trial)
        if agent is None:
            return
        for replicate in sorted({*trial.cells, *range(self.n_games_of(trial))}):
            number = 0 if self.is_shared else trial.number
            seed = search_seed(self.of.record.seed, number, replicate)
            where = f"{trial.where}, replicate {replicate}"
            cell_ = trial.cells.get(replicate)
            game, stored = self.of.examine_game(where, cell_, seed)
            if game is not None:
                trial.games[replicate] = game
            keep = partial(self.keep_trial_game, trial, replicate)
            self.of.entries.append(Entry(where, agent, seed, game, stored, keep))

    def agent_of(self, theta: Mapping[str, Value], trial: Trial | None = None) -> Agent | None:
        """Rebuild an agent; None, and a flaw, if it refuses its parameters."""
        try:
            return self.of.experiment.build(theta)
        except ValueError as error:
            if trial is not None and trial.state != FAIL:
                self.of.thetas.flaws.append(f"{trial.where}: {error}")
                self.fail(trial)
            return None

    def n_games_of(self, trial: Trial) -> int:
        """Return how many games a trial must have: of a complete one, all."""
        least = max(trial.cells, default=-1) + 1
        if trial.state != COMPLETE:
            return 0
        try:
            n = stored_moments(trial.rows.attributes[self.moments_key].json).n
            n += self.n_replaced(trial)
        except (KeyError, ValueError):
            n = 0 if self.agrees(trial) else self.usual_number
        return max(least, min(n, self.largest_number))

    def n_replaced(self, trial: Trial) -> int:
        """Return how many games of a trial failed, and do not count."""
        if self.of.experiment.goal.penalty is not None:
            return 0
        found = [self.of.game_in(cell) for cell in trial.cells.values()]
        return sum(isinstance(game, FailedGame) for game in found)

    def agrees(self, trial: Trial) -> bool:
        """Return whether a trial's readable games give its objectives."""
        games = [game for cell in trial.cells.values() if (game := self.of.game_in(cell))]
        try:
            stored = trial.rows.objectives()
        except ValueError:
            return False
        return len(games) == len(trial.cells) and close(self.objectives_of(games), stored)

    @property
    def moments_key(self) -> str:
        """The attribute of the goal's moments."""
        return MOMENTS_PREFIX + self.of.experiment.goal.name

    def numbers_of_games(self) -> list[int]:
        """Return the numbers of games of complete trials."""
        return [len(trial.stored) for trial in self.trials if trial.rows.state == COMPLETE]

    @property
    def usual_number(self) -> int:
        """The commonest number of games of a complete trial."""
        return Counter(self.numbers_of_games()).most_common(1)[0][0]

    @property
    def largest_number(self) -> int:
        """The largest number of games of a complete trial."""
        return max(self.numbers_of_games(), default=0)

    def keep_trial_game(self, trial: Trial, replicate: int, game: Outcome) -> None:
        """Store a game that was played in place of a damaged one."""
        unit = (SEARCH, str(trial.number))
        self.of.mending.game(trial.cells.get(replicate), self.of.rows.id, unit, replicate, game)
        trial.games[replicate] = game
        trial.is_changed = True

    def objectives_of(self, outcomes: list[Outcome]) -> list[float]:
        """Return both objectives of some games."""
        games = self.counting(outcomes)
        return [self.of.experiment.goal.estimate(games).value, self.of.experiment.cost.of(games)]

    def moments_of(self, outcomes: list[Outcome]) -> Moments:
        """Return the moments of the goal's samples."""
        return Moments.of(self.of.experiment.goal.samples(self.counting(outcomes)))

    def counting(self, outcomes: list[Outcome]) -> list[Game]:
        """Return the games that count for the goal."""
        penalty = self.of.experiment.goal.penalty
        return list(counting_games(dict(enumerate(outcomes)), penalty).values())

    def examine_objectives(self, trial: Trial) -> None:
        """Compare a complete trial's objectives and moments with those of its games."""
        games = [trial.games[replicate] for replicate in sorted(trial.games)]
        is_whole = len(games) == max(len(trial.cells), self.n_games_of(trial))
        try:
            stored = trial.rows.objectives()
            if len(stored) != 2:
                raise ValueError(f"values {stored} given, two expected")
            if is_whole and not close(stored, expected := self.objectives_of(games)):
                raise ValueError(f"values {stored} given, {expected} by its games")
        except ValueError as error:
            self.of.objectives.flaws.append(f"{trial.where}: {error}")
            trial.is_changed = True
        cell = trial.rows.attributes.get(self.moments_key)
        if cell is None:
            return  # as in studies of an earlier day: they are computed when they are needed
        try:
            moments = stored_moments(cell.json)
            if is_whole and not close(moments, expected_ := self.moments_of(games)):
                raise ValueError(f"{list(moments)} given, {list(expected_)} by its games")
        except ValueError as error:
            self.of.objectives.flaws.append(f"{trial.where}, {self.moments_key}: {error}")
            trial.is_changed = True

    def settle(self) -> None:
        """Write what follows from games: of the trials that have changed."""
        for trial in self.trials:
            if not (trial.is_changed and trial.state == COMPLETE and trial.games):
                continue
            games = [trial.games[replicate] for replicate in sorted(trial.games)]
            rows = trial.rows
            try:
                stored: list[float] = rows.objectives()
            except ValueError:
                stored = []
            if not close(stored, expected := self.objectives_of(games)):
                self.of.mending.delete_rows("trial_values", "trial_id", rows.id)
                for number, value in enumerate(expected):
                    self.of.mending.insert(
                        "trial_values",
                        trial_id=rows.id,
                        objective=number,
                        value=value,
                        value_type=FINITE,
                    )
            cell = rows.attributes.get(self.moments_key)
            moments = list(self.moments_of(games))
            if cell is not None:
                try:
                    if close(stored_moments(cell.json), moments):
                        continue
                except ValueError:
                    pass
                self.of.mending.attribute(cell, cell.table, rows.id, self.moments_key, moments)


def close(found: Any, expected: Any) -> bool:
    """Return whether numbers are the same but for rounding."""
    found, expected = list(found), list(expected)
    if len(found) != len(expected):
        return False
    scale = max((abs(each) for each in expected), default=0.0)
    return all(
        math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=0.0 if other else TOLERANCE * scale)
        for one, other in zip(found, expected, strict=True)
    )
