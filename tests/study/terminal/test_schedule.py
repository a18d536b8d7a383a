"""A schedule against nodes counted one by one; its standard error against the jackknife."""

import json
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.agents.twenty48.scheduled import scheduled
from tests.oracles import twenty48 as oracle
from tests.study.program import succeeded
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, ScheduledAgent, Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE, Schedule
from thetafront.study.errors import InputError
from thetafront.study.terminal.schedule import (
    GameEvaluations,
    Use,
    evaluations_in_game,
    get_schedule,
    schedule_frame,
    schedule_table,
    use_text,
)

UNEVEN = Schedule(tuple(range(1, 16)), tuple(range(31, 16, -1)))


@pytest.mark.parametrize(
    "agent", [scheduled(UNEVEN), scheduled(UNEVEN, cascade=True), Table1()], ids=repr
)
def test_the_playouts_of_a_game_are_those_of_its_nodes(agent: ScheduledAgent) -> None:
    """Count the playouts of every node of every decision, by the oracle's rules."""
    schedule, rule = agent.schedule, agent.rule
    assert isinstance(agent, ScheduledAgent)
    n_playouts, n_moves, n_random = 0, 0, 0
    for move in agent.moves(3):
        n_moves += 1
        n_random += move.decision.n_playout_moves
        board = oracle.from_packed(move.board)
        slid = [oracle.slide(board, action, rule)[0] for action in range(4)]
        moved = [after for after in slid if after != board]
        if len(moved) == 1:
            assert move.decision.n_playout_moves == 0
            continue
        for after in moved:
            empty = len(oracle.empty_cells(after))
            for _ in oracle.empty_cells(after):
                n_playouts += schedule.n_twos[empty - 1] + schedule.n_fours[empty - 1]
    game = evaluations_in_game(agent, 3)
    assert (game.n_moves, game.n_playout_moves) == (n_moves, n_random)
    assert (game.n_moves, game.n_playout_moves) == (
        agent.play(3).n_moves,
        agent.play(3).n_playout_moves,
    )
    use = Use.from_games(schedule, [game])
    assert use.playouts_per_move == pytest.approx(n_playouts / n_moves)
    assert use.playout_moves_per_move == pytest.approx(n_random / n_moves)
    assert math.isnan(use.playouts_sem)
    assert "± ?" in use_text(use)


def test_the_standard_error_is_close_to_the_jackknifes() -> None:
    """The jackknife estimates the same error in another way, equal to order 1/n."""
    rng = np.random.default_rng(2)
    games = []
    for _ in range(60):
        n_moves = int(rng.integers(500, 2500))
        looks = rng.multinomial(3 * n_moves, rng.dirichlet(np.full(15, 5.0)))
        games.append(GameEvaluations(n_moves, 7 * n_moves, tuple(int(count) for count in looks)))
    use = Use.from_games(UNEVEN, games)
    per_action = schedule_frame(UNEVEN)["playouts_of_an_action"].to_numpy()
    playouts = np.array([sum(np.array(g.n_evaluations) * per_action) for g in games])
    moves = np.array([g.n_moves for g in games])
    assert use.playouts_per_move == pytest.approx(playouts.sum() / moves.sum())
    assert use.rows["playouts_per_move"].sum() == pytest.approx(use.playouts_per_move)
    assert use.playout_moves_per_move == 7
    left_out = (playouts.sum() - playouts) / (moves.sum() - moves)
    jackknife = math.sqrt(59 / 60 * ((left_out - left_out.mean()) ** 2).sum())
    assert use.playouts_sem == pytest.approx(jackknife, rel=0.05)


def test_playouts_of_an_action_are_by_hand() -> None:
    per_action = schedule_frame(AUTHORS_SCHEDULE)["playouts_of_an_action"]
    assert [per_action[k] for k in (0, 2, 14)] == [500 + 80, 3 * (125 + 20), 15 * (9 + 3)]


def test_an_agent_without_a_schedule_is_refused() -> None:
    with pytest.raises(InputError, match=r"agent must have a schedule: one of mcmdp.*'pmcts'"):
        get_schedule("pmcts", PureMonteCarlo(1))
    assert get_schedule("table1", Table1()) == AUTHORS_SCHEDULE


def test_the_table_has_a_row_a_number_of_empty_cells() -> None:
    table = schedule_table(AUTHORS_SCHEDULE, None)
    assert (table.row_count, len(table.columns)) == (15, 4)
    played = Use.from_games(UNEVEN, [evaluations_in_game(scheduled(UNEVEN), 0)])
    assert len(schedule_table(UNEVEN, played).columns) == 7


def test_the_command_prints_what_json_has() -> None:
    asked = ["schedule", "--theta", "6,4,2,1,2,1", "--set", "min_playouts=1", "--games", "2"]
    shown = succeeded(None, *asked)
    answer = json.loads(succeeded(None, *asked, "--json"))
    agent = MonteCarloMDP(6, 4, 2, 1, 2, 1, min_playouts=1)
    games = [agent.play(seed) for seed in (0, 1)]
    n_moves = sum(game.n_moves for game in games)
    assert answer["games"]["n_moves"] == n_moves
    assert answer["games"]["playout_moves_per_move"] == pytest.approx(
        sum(game.n_playout_moves for game in games) / n_moves
    )
    mean = answer["games"]["playouts_per_move"]["mean"]
    assert sum(row["playouts_per_move"] for row in answer["rows"]) == pytest.approx(mean)
    assert f"{mean:,.1f} ± " in shown
    assert "over 2 games" in shown
    assert [row["playouts_of_a_node_of_2"] for row in answer["rows"][:4]] == [6, 3, 2, 4]

    bare = succeeded(None, "schedule", "--agent", "table1", "--games", "0")
    assert bare.splitlines()[-1].split() == ["15", "9", "3", "180"]


def test_an_interrupt_within_a_kernel_is_one_line() -> None:
    """Decisions are made in this process: an interrupt within one is no error."""
    command = [sys.executable, "-m", "thetafront", "schedule", "--games", "5000"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(5)  # imports and kernels; an interrupt before that is answered alike
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 130
    assert stderr.splitlines() == ["thetafront: interrupted"]
