"""Experiments: each builds its agent anywhere in its space, and knows where it may be compared."""

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thetafront.agents.dice.solver import DiceSolver
from thetafront.agents.external.program import Program
from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.switching import Switching
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.pacman import Layout
from thetafront.study.errors import InputError
from thetafront.study.experiments import builtin
from thetafront.study.experiments.agent_parser import build_agent
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.definition_record import Definition
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.costs import BACKUPS, SWEEPS, cpu_seconds, reported
from thetafront.study.experiments.objectives.goals import Goal, exact, match, mean, rate
from thetafront.study.experiments.players import BuiltinPlayer, RecordedPlayer
from thetafront.study.experiments.registry import EXPERIMENTS, experiment, experiments_in, is_here
from thetafront.study.experiments.space import Space
from thetafront.study.report.pick_text import play_command
from thetafront.study.samplers.observations import Objectives


def test_switching_always_switches() -> None:
    """Where k = 0 or d = 1 it would be the plain agent, which has an experiment of its own."""
    low = {parameter.name: parameter.low for parameter in experiment("switching").space}
    agent = experiment("switching").build(low)
    assert isinstance(agent, Switching)
    assert agent.switch_at >= 1
    assert agent.depth >= 2


def test_names_of_built_in_experiments_differ() -> None:
    found = [each.name for each in experiments_in(builtin).values()]
    assert sorted(found) == sorted(EXPERIMENTS)


def test_a_baseline_of_another_agent_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'plain' must be of class Switching \(got UCT\)"):
        Experiment.from_agent(Switching, {"plain": UCT()}, name="mixed", title="")


def test_uct_has_all_leaf_values() -> None:
    (leaf_value,) = experiment("uct").space.categorical
    assert leaf_value.choices == tuple(LeafValue)
    assert {type(word) for word in leaf_value.choices} == {str}, "what a storage gives back"


def test_the_baseline_of_uct_is_the_plain_tree() -> None:
    """k′ = 30 holds back no state: game by game what k′ = 0, no widening, plays."""
    uct = experiment("uct")
    (values,) = uct.baselines.values()
    few = {**values, "n_simulations": 60}
    for seed in range(2):
        game = uct.build(few).play(seed)
        plain = uct.build({**few, "k_state": 0.0}).play(seed)
        assert (game.end_board, game.n_playout_moves) == (plain.end_board, plain.n_playout_moves)
    held_back = uct.build({**few, "k_state": 1.0}).play(0)
    assert held_back.end_board != uct.build(few).play(0).end_board


def test_fronts_of_uct_compare_with_those_of_mcmdp() -> None:
    uct, mcmdp = experiment("uct"), experiment("mcmdp")
    for cost in uct.costs:
        reference = Objectives.from_experiment(uct.with_cost(cost)).reference_point
        assert reference == Objectives.from_experiment(mcmdp.with_cost(cost)).reference_point


def test_pacman_plays_in_its_maze() -> None:
    for name, layout in (("pacman", "medium"), ("pacman_small", "small")):
        (values,) = experiment(name).baselines.values()
        agent = experiment(name).build(values)
        assert isinstance(agent, PacmanMDP)
        assert agent.layout == Layout.named(layout)
        assert experiment(name).build({**values, "layout": "small"}) == replace(
            agent, layout=Layout.named("small")
        )
        report, once = (replace(agent, max_sweeps=n).play(1) for n in (100, 1000))
        assert report.n_sweeps == once.n_sweeps, "as the report has it: the tolerance alone ends"
        command = play_command(experiment(name), values).split()
        assert command[:3] == ["thetafront", "play", "pacman_mdp"]
        assert build_agent("pacman_mdp", None, command[4::2])[0] == agent


@pytest.mark.parametrize(("name", "layout"), [("pacman", "medium"), ("pacman_small", "small")])
def test_the_dearest_pacman_is_within_the_reference(name: str, layout: str) -> None:
    dearest = {"gamma": 0.99, "radius": 4, "tolerance": 0.001, "max_sweeps": 100}
    game = experiment(name).build(dearest).play(0)
    n_cells = int((~Layout.named(layout).walls).sum())
    backups = BACKUPS.value([game])
    assert backups <= 100 * n_cells
    assert 100 * n_cells < experiment(name).reference_costs[BACKUPS.name]


def test_the_dearest_dice_are_within_the_reference() -> None:
    solution = experiment("dice").build({"gamma": 1.0, "tolerance": 1e-6}).play(0)
    assert SWEEPS.value([solution]) == 23 < experiment("dice").reference_costs[SWEEPS.name]
    least = experiment("dice").build({"gamma": 0.5, "tolerance": 10.0}).play(0)
    assert experiment("dice").reference_score < least.score < solution.score


def test_what_is_fixed_is_not_tuned() -> None:
    found = experiment("pacman")
    plain: dict[str, Any] = {each.name: getattr(found, each.name) for each in fields(found)}
    with pytest.raises(
        ValueError, match=r"parameters must not be both tuned and fixed \(got 'radius'\)"
    ):
        Experiment(**{**plain, "fixed": {"radius": 1}})


def test_a_dimension_is_whole_where_the_agent_is() -> None:
    """What a sweep tunes in steps of one, play takes in steps of one, too."""
    plain = experiment("mcmdp")
    cases = (("theta1", False, "a real", "an integer"), ("theta5", True, "an integer", "a real"))
    for name, integer, given, allowed in cases:
        space = tuple(
            replace(each, integer=integer) if each.name == name else each for each in plain.space
        )
        with pytest.raises(
            ValueError, match=rf"{name} must be {allowed} parameter \(got {given} parameter"
        ):
            replace(plain, space=Space(space))


def own(agent: str, goal: Goal, *parameters: NumericParameter, **more: Any) -> Experiment:
    """Return a user's experiment with an agent of the package."""
    return Experiment("own", agent, Space(parameters), goal, **more)


SIMULATIONS = NumericParameter("theta1", 16, 64, integer=True)


def test_the_goal_of_an_agent_of_the_package_is_the_field_that_it_names() -> None:
    game = own("mcmdp", mean("max_tile"), SIMULATIONS).build({"theta1": 16}).play(0)
    assert own("mcmdp", mean("max_tile"), SIMULATIONS).goal.samples([game]) == [game.max_tile]
    gamma = NumericParameter("gamma", 0.5, 0.9)
    pacman = own("pacman_mdp", rate("won"), gamma)
    game = pacman.build({}).play(0)
    assert pacman.goal.samples([game]) == [game.won]


def test_the_first_of_several_costs_is_the_default() -> None:
    count, time = reported("n_playout_moves", per="move"), cpu_seconds("move")
    made = own("mcmdp", mean(), SIMULATIONS, costs=(count, time))
    assert (made.cost, replace(made, title="copy").cost) == (made.costs[0], made.costs[0])
    assert made.cost.counted == "n_playout_moves"
    assert own("mcmdp", mean(), SIMULATIONS, costs=(count, cpu_seconds("game"))).cost == made.cost


def test_a_copy_of_an_experiment_is_checked_like_a_new_one() -> None:
    gamma = NumericParameter("gamma", 0.5, 0.9)
    small = replace(EXPERIMENTS["pacman_small"], name="own", goal=mean("n_food_left"), fixed={})
    assert small.goal.sample == "n_food_left"
    assert own("pacman_mdp", EXPERIMENTS["pacman"].goal, gamma).goal.sample == "won"
    other = replace(own("mcmdp", mean(), SIMULATIONS), agent="pacman_mdp", space=Space((gamma,)))
    assert other.summary.game is PacmanGame
    with pytest.raises(ValueError, match=r"cost of mcmdp must be one of"):
        replace(own("mcmdp", mean(), SIMULATIONS), costs=(), cost=reported("nonsense"))
    with pytest.raises(ValueError, match=r"^baseline 'base' must have theta1, .* \(got nope\)$"):
        replace(EXPERIMENTS["mcmdp"], name="own", baselines={"base": {"nope": 1}})


def test_rules_that_are_newer_than_a_study_do_not_apply_to_its_record() -> None:
    made = own("dice_solver", exact("n_sweeps"), NumericParameter("gamma", 0.5, 0.9))
    now = Definition.from_experiment(made)
    for name in ("points", "n_sweeps"):  # an earlier version read the score, whatever the name
        goal = {**now.content["goal"], "name": name, "sample": "score"}
        stored = replace(now, content={**now.content, "goal": goal})
        read = stored.experiment("own", made.space, made.cost.name, {}, made.player)
        assert (read.goal.name, read.goal.sample) == (name, "score")
        assert replace(read, title="a copy").goal == read.goal
        with pytest.raises(ValueError, match=r"^goal of dice_solver must be one of"):
            replace(read, goal=exact("nonsense"))
    sample = "objective's sample is now n_sweeps, not score"
    assert stored.objectives_changed(now) == [sample]
    wide = Space((NumericParameter("x", 0, 2**60, integer=True),))
    for agent in (lambda x, seed: x, Program(("true", "{x}"))):
        with pytest.raises(ValueError, match=r"^x: bounds of integers must be within ±2\*\*53$"):
            Experiment("wide", agent, wide, mean())
    recorded = RecordedPlayer("gone.py", lambda: pytest.fail("it is not loaded"))
    assert Experiment("wide", recorded, wide, mean()).space == wide


def test_numbers_of_numpy_are_plain_numbers_in_a_definition() -> None:
    made = own(
        "mcmdp",
        mean(standard_error=np.float32(0.5), replicates=np.int64(3)),
        SIMULATIONS,
        fixed={"theta3": np.int64(4)},
        baselines={"base": {"theta1": np.int64(20)}},
        max_failures=np.float32(0.25),
    )
    assert json.loads(json.dumps(asdict(Definition.from_experiment(made))))
    assert json.dumps([dict(made.fixed), made.goal.replicates]) == '[{"theta3": 4}, 3]'


def test_a_constraint_may_exclude_a_choice() -> None:
    leaf_value = CategoricalParameter("leaf_value", ("lookahead", "score", "random"))
    n = NumericParameter("n_simulations", 4, 20, integer=True)
    space = Space((n, leaf_value), ("leaf_value != 'random'",))
    made = Experiment("own", "uct", space, mean())
    assert "digests" not in Definition.from_experiment(made).content


@pytest.mark.parametrize(
    ("goal", "more", "message"),
    [
        (mean("theta9"), {}, "goal of mcmdp must be one of score, seconds, .*got 'theta9'"),
        (rate("won"), {}, "goal of mcmdp must be a mean or an exact value"),
        (match(), {}, "goal of mcmdp must be a mean or an exact value"),
        (mean(), {"cost": reported("nodes")}, "cost of mcmdp must be one of .*got 'nodes'"),
        (mean(), {"fixed": {"theta3": -4}}, "theta3 must be a whole number"),
    ],
)
def test_what_an_agent_of_the_package_lacks_is_refused(
    goal: Goal, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        own("mcmdp", goal, SIMULATIONS, **more)


def test_agents_are_built_although_defaults_and_fixed_values_disagree() -> None:
    """The default of n_dice, three, is too many for dice with forty sides."""
    n_dice = NumericParameter("n_dice", 1, 2, integer=True)
    made = own("dice_solver", exact("score"), n_dice, fixed={"n_sides": 40})
    assert made.build({}) in [DiceSolver(n_dice=n, n_sides=40) for n in (1, 2)]
    assert not made.learns
    two = Space((NumericParameter("a", 0.0, 1.0), NumericParameter("b", 0.0, 1.0)), ("a <= b",))
    with pytest.raises(ValueError, match=r"^constraint 'a <= b' is not satisfied"):
        Experiment("own", lambda a, b, seed: a, two, mean()).build({"a": 0.9, "b": 0.1})
    switch_at = NumericParameter("switch_at", 1, 15, integer=True)
    depth = NumericParameter("depth", 3, 5, integer=True)
    made = own("switching", mean(), switch_at, depth, fixed={"leaf_playouts": 10})
    with pytest.raises(ValueError, match=r"^depth must give at most"):
        made.build(made.space.completed({}))
    assert made.build({}) == Switching(leaf_playouts=10)
    many = replace(n_dice, low=4, high=5)
    with pytest.raises(InputError, match=r"\(got 4"):
        own("dice_solver", exact("score"), many, fixed={"n_sides": 40}).learns  # noqa: B018


def test_a_changed_maze_changes_the_definition(tmp_path: Path) -> None:
    path = tmp_path / "own.lay"

    def record(middle: str) -> Definition:
        path.write_text(f"%%%%%%%\n%P{middle}G%\n%%%%%%%\n")
        gamma = NumericParameter("gamma", 0.5, 0.9)
        made.append(own("pacman_mdp", mean(), gamma, fixed={"layout": str(path)}))
        return Definition.from_experiment(made[-1])

    made: list[Experiment] = []
    first = record(". .")
    assert not first.changes(record(". ."))
    (phrase,) = first.changes(record("..."))
    assert phrase.startswith(f"digest of layout {path} is now ")
    assert isinstance(made[0].player, BuiltinPlayer)
    with pytest.raises(InputError, match=r"^study: digest of layout .* is now .*, not "):
        made[0].player.check_digests(first.content["digests"], made[0].space, made[0].fixed)
    earlier = {key: each for key, each in first.content.items() if key != "digests"}
    assert not replace(first, content=earlier).changes(record(". ."))
    path.unlink()
    assert Definition.from_experiment(made[0]).content.get("digests") is None, "it is missing"


def test_how_certain_pacmans_motion_is_can_be_tuned_or_fixed() -> None:
    space = Space((NumericParameter("p_chosen", 0.0, 1.0),))
    small = experiment("pacman_small")
    tuned = replace(small, space=space, baselines={})
    assert tuned.build({"p_chosen": 0.25}) == PacmanMDP(p_chosen=0.25)
    fixed = replace(small, fixed={**small.fixed, "p_chosen": 1.0})
    theta = fixed.baselines["the report's"]
    assert fixed.build(theta) == replace(small.build(theta), p_chosen=1.0)
    with pytest.raises(ValueError, match=r"^p_chosen must be between 0 and 1 \(got 1.5\)$"):
        replace(tuned, space=Space((NumericParameter("p_chosen", 0.0, 1.5),)))


def test_the_file_of_a_definition_is_found_whatever_its_folder_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    for name, ending in (("coins.toml", ""), ("coins.py", ":COINS")):
        assert not is_here(f"{folder}/{name}{ending}")
        (folder / name).touch()
        assert is_here(f"{folder}/{name}{ending}")
