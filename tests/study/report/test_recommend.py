"""Picking: who chooses, who judges, what is refused, and what one may expect."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import optuna
import pytest
from scipy.stats import binomtest

from agents.twenty48.agent import Game2048 as Game
from study.errors import InputError
from study.experiments.agent_parser import agent_of
from study.experiments.definition import Experiment
from study.experiments.objectives import EXACT_SCORE, PLAYOUT_MOVES, SCORE
from study.experiments.registry import EXPERIMENTS
from study.report.recommend import command_of, pick, pick_json, pick_text
from tests.study.conftest import CoinGame
from tests.study.made_studies import data_of, store_point

N_MOVES = 100


def game(replicate: int, score: int, milliseconds: float) -> Game:
    seconds = N_MOVES * milliseconds / 1000.0
    n_playout_moves = round(1e6 * milliseconds)
    return Game(500_000 + replicate, score, N_MOVES, seconds, n_playout_moves, 2048, 0)


def study_of(
    points: Mapping[int, tuple[float, Mapping[int, int] | Sequence[int]]],
) -> optuna.Study:
    """A study with validated points: number of playouts → milliseconds a move, scores."""
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(
        study_name="s", storage=storage, directions=["maximize", "minimize"]
    )
    for n_playouts, (milliseconds, scores) in points.items():
        params = {"n_playouts": n_playouts}
        numbered = scores if isinstance(scores, Mapping) else dict(enumerate(scores))
        store_point(
            study, params, {r: game(r, score, milliseconds) for r, score in numbered.items()}
        )
    return study


def alternating(even: Sequence[int], odd: Sequence[int]) -> list[int]:
    return [score for pair in zip(even, odd, strict=True) for score in pair]


HALVES_DISAGREE = {
    # What chooses says 20 playouts, what judges says 10, and so does the mean of all.
    10: (1.0, alternating([4000, 4200, 4100], [9000, 9100, 9200])),
    20: (2.0, alternating([5000, 5200, 5100], [1000, 1300, 1600])),
}


def test_even_replicates_choose_and_odd_ones_say_what_to_expect(quick: Experiment) -> None:
    picked = pick(data_of(study_of(HALVES_DISAGREE), quick), cost_limit=0.01)
    assert picked.point.params == {"n_playouts": 20}
    assert picked.expected.value == pytest.approx(1300.0)
    assert picked.n_games == 3
    half = 4.302653 * 300.0 / np.sqrt(3)
    assert picked.expected.high == pytest.approx(1300.0 + half)
    assert picked.cost == pytest.approx(0.002)
    assert picked.n_candidates == 2


def test_a_budget_leaves_out_what_is_dearer(quick: Experiment) -> None:
    study = study_of(HALVES_DISAGREE)
    picked = pick(data_of(study, quick), cost_limit=0.0015)
    assert picked.point.params == {"n_playouts": 10}
    assert (picked.expected.value, picked.n_candidates) == (pytest.approx(9100.0), 1)
    assert pick(data_of(study, quick), cost_limit=0.002 + 1e-9).point.params == {"n_playouts": 20}


def test_of_equals_the_cheapest_is_taken(quick: Experiment) -> None:
    equals = {30: (3.0, [5000] * 4), 10: (1.0, [5000] * 4), 20: (2.0, [5000] * 4)}
    assert pick(data_of(study_of(equals), quick), cost_limit=1.0).point.params == {"n_playouts": 10}


def test_an_exact_value_is_reached_as_it_is_shown() -> None:
    value = 13.348269628099171
    assert EXACT_SCORE.format.text(value) == "13.34827"
    assert EXACT_SCORE.reaches(value, 13.34827)
    assert not EXACT_SCORE.reaches(value, 13.34828)
    assert SCORE.reaches(5000.0, 5000.0)
    assert not SCORE.reaches(4999.9, 5000.0), "which is shown as 5,000, and is a noisy mean"


def test_for_a_score_the_cheapest_that_reaches_it_is_taken(quick: Experiment) -> None:
    study = study_of(
        {
            30: (3.0, [8000, 8100] * 4),
            10: (1.0, [4000, 4100] * 4),
            20: (2.0, [6000, 5100] * 4),
        }
    )
    # Even replicates of 20 playouts reach 6,000; but all of its games only 5,550.
    wanted = {4000.0: (10, 3), 4001.0: (20, 2), 5550.0: (20, 2), 5550.1: (30, 1), 8000.0: (30, 1)}
    for score, (n_playouts, n_candidates) in wanted.items():
        picked = pick(data_of(study, quick), score_wanted=score)
        assert picked.point.params == {"n_playouts": n_playouts}
        assert picked.n_candidates == n_candidates
    # Even replicates reach 6,000, all of them 5,550; the odd ones say that 5,100 is what to expect.
    assert pick(data_of(study, quick), score_wanted=5550.0).expected.value == pytest.approx(5100.0)


def test_what_is_recommended_for_a_score_has_reached_it_in_all_its_games(quick: Experiment) -> None:
    """A point whose validated mean falls short is not picked, however lucky its first half."""
    lucky = {10: (1.0, [9000, 1000] * 4)}
    with pytest.raises(InputError) as refused:
        pick(data_of(study_of(lucky), quick), score_wanted=6000.0)
    assert str(refused.value) == (
        "pick: score 6,000 given; the best validated point reaches 5,000 in all its games "
        "and in the half of them that chooses"
    )
    picked = pick(
        data_of(study_of({**lucky, 20: (2.0, [6000, 6200] * 4)}), quick), score_wanted=6000.0
    )
    assert picked.point.params == {"n_playouts": 20}
    assert picked.n_candidates == 1
    lines = pick_text(picked, quick).splitlines()
    assert lines[1].endswith(
        "(95% interval; 4 games with a veto only: others chose it from 1 validated point that "
        "reaches 6,000 points)"
    )
    half = 2.364624 * 100 * np.sqrt(8 / 7) / np.sqrt(8)  # t(0.975, 7)
    assert lines[2] == f"validated        6,100 ± {half:.0f} points (95% interval; all 8 games)"
    everything = pick_json(picked, quick)["validated_score"]
    assert everything["low95"] == pytest.approx(6100 - half)
    assert everything["high95"] == pytest.approx(6100 + half)


def test_the_cost_is_that_of_the_experiment(quick: Experiment) -> None:
    exact = quick.with_cost(PLAYOUT_MOVES)
    picked = pick(data_of(study_of(HALVES_DISAGREE), exact), cost_limit=15_000)
    assert picked.point.params == {"n_playouts": 10}
    assert picked.cost == pytest.approx(10_000.0)


def test_every_second_game_judges_whichever_are_there(quick: Experiment) -> None:
    """Of replicates 2, 4, 6, 8 and 10, none of them odd: 2, 6 and 10 choose; 4 and 8 judge."""
    scores = {2: 100, 4: 120, 6: 110, 8: 140, 10: 120}
    picked = pick(data_of(study_of({5: (1.0, scores)}), quick), score_wanted=110.0)
    assert (picked.expected.value, picked.n_games) == (pytest.approx(130.0), 2)
    with pytest.raises(InputError):
        pick(data_of(study_of({5: (1.0, scores)}), quick), score_wanted=110.1)


def test_points_of_fewer_than_four_games_are_not_picked(quick: Experiment) -> None:
    study = study_of({5: (1.0, [9000, 9000, 9000]), 6: (1.0, [100, 110, 120, 130])})
    assert pick(data_of(study, quick), cost_limit=1.0).point.params == {"n_playouts": 6}


@pytest.mark.parametrize(
    ("points", "asked", "message"),
    [
        (HALVES_DISAGREE, {}, "pick: one of --seconds-per-move and --score allowed, and needed"),
        (
            HALVES_DISAGREE,
            {"cost_limit": 1.0, "score_wanted": 1.0},
            "pick: one of --seconds-per-move and --score allowed, and needed",
        ),
        (HALVES_DISAGREE, {"cost_limit": 0.0}, "pick: 0 given, a number above 0 allowed"),
        (HALVES_DISAGREE, {"cost_limit": -1.5}, "pick: -1.5 given, a number above 0 allowed"),
        (
            HALVES_DISAGREE,
            {"score_wanted": float("nan")},
            "pick: nan given, a number above 0 allowed",
        ),
        (
            HALVES_DISAGREE,
            {"score_wanted": float("inf")},
            "pick: inf given, a number above 0 allowed",
        ),
        (
            HALVES_DISAGREE,
            {"cost_limit": 0.0002},
            "pick: CPU time a move of 200 µs given; the cheapest validated point takes 1.00 ms",
        ),
        (
            HALVES_DISAGREE,
            {"score_wanted": 12_345.6},
            "pick: score 12,346 given; the best validated point reaches 4,100 in all its "
            "games and in the half of them that chooses",
        ),
        (
            {},
            {"cost_limit": 1.0},
            "study: 's' has no validated points yet (thetafront validate s)",
        ),
        (
            {5: (1.0, [1, 2, 3])},
            {"cost_limit": 1.0},
            "study: 's' has no validated points yet (thetafront validate s)",
        ),
    ],
)
def test_what_cannot_be_picked_is_refused_in_one_line(
    quick: Experiment, points: Any, asked: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        pick(data_of(study_of(points), quick), **asked)
    assert str(refused.value) == message


def test_the_command_of_mcmdp_has_its_theta_in_order() -> None:
    theta = {"theta6": 0.5, "theta1": 500, "theta2": 54, "theta3": 18, "theta4": 9, "theta5": 6.25}
    command = command_of(EXPERIMENTS["mcmdp"], theta)
    assert command == "thetafront play mcmdp --theta 500,54,18,9,6.25,0.5"


def test_the_command_of_pmcts_has_its_only_parameter(quick: Experiment) -> None:
    assert command_of(quick, {"n_playouts": 17}) == "thetafront play pmcts --theta 17"


def test_the_command_of_a_part_of_theta_names_it() -> None:
    command = command_of(EXPERIMENTS["mcmdp"], {"theta5": 6.25, "min_playouts": 3})
    assert command == "thetafront play mcmdp --set theta5=6.25 --set min_playouts=3"


def test_the_answer_for_programs(quick: Experiment) -> None:
    picked = pick(data_of(study_of(HALVES_DISAGREE), quick), cost_limit=0.01)
    answer = pick_json(picked, quick)
    assert list(answer) == [
        "number",
        "params",
        "origin",
        "expected_score",
        "validated_score",
        "seconds_per_move",
        "n_candidates",
        "passed_over",
        "command",
    ]
    assert answer["number"] == 2
    assert answer["passed_over"] == [
        {
            "number": 1,
            "params": {"n_playouts": 10},
            "origin": "proposal",
            "seconds_per_move": pytest.approx(0.001),
            "mean_score": pytest.approx(6600.0),
            "mean_score_of_the_half_that_chooses": pytest.approx(4100.0),
        }
    ]
    assert answer["params"] == {"n_playouts": 20}
    assert answer["origin"] == "proposal"
    half = 4.302653 * 300.0 / np.sqrt(3)
    assert answer["expected_score"] == {
        "mean": pytest.approx(1300.0),
        "low95": pytest.approx(1300.0 - half),
        "high95": pytest.approx(1300.0 + half),
        "n_games": 3,
    }
    everything = [5000, 1000, 5200, 1300, 5100, 1600]
    assert answer["validated_score"] == {
        "mean": pytest.approx(np.mean(everything)),
        "sem": pytest.approx(np.std(everything, ddof=1) / np.sqrt(6)),
        "low95": pytest.approx(3200 - 2.570582 * np.std(everything, ddof=1) / np.sqrt(6)),
        "high95": pytest.approx(3200 + 2.570582 * np.std(everything, ddof=1) / np.sqrt(6)),
        "n_games": 6,
    }
    assert answer["seconds_per_move"] == pytest.approx(0.002)
    assert answer["n_candidates"] == 2
    assert answer["command"] == "thetafront play pmcts --theta 20"
    exact = quick.with_cost(PLAYOUT_MOVES)
    other = pick_json(pick(data_of(study_of(HALVES_DISAGREE), exact), cost_limit=1e6), exact)
    assert other["playout_moves_per_move"] == pytest.approx(20_000.0)
    assert "seconds_per_move" not in other


def test_the_answer_for_people(quick: Experiment) -> None:
    picked = pick(data_of(study_of(HALVES_DISAGREE), quick), cost_limit=0.01)
    lines = [re.split(r"  +", line)[:2] for line in pick_text(picked, quick).splitlines()]
    assert dict(lines) == {
        "θ": "n 20 (number 2, proposal)",
        "expect": "1,300 ± 745 points (95% interval; 3 games that did not choose it from 2 "
        "validated points within the budget)",
        "validated": "3,200 ± 854 points (standard error; all 6 games)",
        "CPU time a move": "2.00 ms",
        "reached": "1024 100.0%, 2048 100.0%, 4096 0.0%, 8192 0.0%",
        "passed over": "number 1, 1.00 ms",
        "play it": "thetafront play pmcts --theta 20",
    }
    assert "6,600 in all games, but 4,100 in the half that chooses (number 2: 5,100)" in pick_text(
        picked, quick
    )


def test_cheaper_points_that_reach_the_value_in_the_table_are_named(quick: Experiment) -> None:
    points = {
        5: (0.5, [100, 200, 100, 200]),
        10: (1.0, alternating([4000, 4200], [9000, 9200])),
        20: (2.0, alternating([3000, 3200], [19000, 19200])),
        30: (3.0, [8000, 8100, 8000, 8100]),
    }
    picked = pick(data_of(study_of(points), quick), score_wanted=5000.0)
    assert picked.point.params == {"n_playouts": 30}
    assert [(each.number, each.mean, each.mean_that_chooses) for each in picked.passed_over] == [
        (2, 6600.0, 4100.0),
        (3, 11_100.0, 3100.0),
    ]
    first, second = pick_text(picked, quick).splitlines()[-3:-1]
    because = "in all games, but {} in the half that chooses (wanted: 5,000)"
    assert first == f"passed over      number 2, 1.00 ms   6,600 {because.format('4,100')}"
    assert second == f"{'':17}number 3, 2.00 ms  11,100 {because.format('3,100')}"
    assert pick(data_of(study_of(points), quick), score_wanted=99.0).passed_over == ()


N_SIMULATED = 300
N_EQUALS = 8
N_GAMES = 12
TRUE_MEAN, DEVIATION = 20_000.0, 5000.0


def simulated(quick: Experiment, **asked: float) -> tuple[Any, Any, Any]:
    """Pick from studies of equal points: the reported value, the choosing half's, the best mean."""
    rng = np.random.default_rng(20)
    reported, naive, lucky = [], [], []
    for _ in range(N_SIMULATED):
        scores = np.rint(rng.normal(TRUE_MEAN, DEVIATION, (N_EQUALS, N_GAMES))).astype(int)
        points = {n + 1: (n + 1.0, row.tolist()) for n, row in enumerate(scores)}
        try:
            picked = pick(data_of(study_of(points), quick), **asked)
        except InputError:  # none reaches what is wanted
            continue
        reported.append(picked.expected.value)
        naive.append(scores.mean(axis=1).max())
        chosen = scores[picked.point.params["n_playouts"] - 1]
        lucky.append(chosen[::2].mean())
    return np.array(reported), np.array(lucky), np.array(naive)


def test_what_is_reported_is_no_luckier_for_having_been_chosen(quick: Experiment) -> None:
    """Studies of equal points: reported less true is 0 within 4 standard errors.

    The mean of all games of the best point is not: by how much the best of eight is too good is
    known, 1.4236 of a mean's deviations.
    """
    reported, lucky, naive = simulated(quick, cost_limit=1.0)
    assert len(reported) == N_SIMULATED

    def standard_errors(found: Any) -> float:
        return float((found.mean() - TRUE_MEAN) / (found.std(ddof=1) / np.sqrt(len(found))))

    assert abs(standard_errors(reported)) < 4.0
    assert standard_errors(lucky) > 10.0, "the half that chose is too good"
    assert standard_errors(naive) > 20.0
    bias = np.mean(naive) - TRUE_MEAN
    assert bias == pytest.approx(1.4236 * DEVIATION / np.sqrt(N_GAMES), rel=0.1)


def test_a_veto_that_could_have_fallen_costs_what_is_known(quick: Experiment) -> None:
    """If the truth equals the wanted value, the bias is 2/(3√π) standard errors of a half.

    That is E[B | A > 0, A + B > 0] of two standard normals, of the half that judges; E[A | …], of
    the half that chose, is √2 + 1 times as much. Either within 4 standard errors. One point passes
    with probability 3/8.
    """
    reported, lucky, _ = simulated(quick, score_wanted=TRUE_MEAN)
    passed = 1.0 - (5 / 8) ** N_EQUALS
    assert len(reported) == pytest.approx(
        N_SIMULATED * passed, abs=4 * np.sqrt(N_SIMULATED * passed * (1 - passed))
    )
    deviation = DEVIATION / np.sqrt(N_GAMES / 2)
    for found, times in ((reported, 1.0), (lucky, np.sqrt(2.0) + 1.0)):
        error = found.std(ddof=1) / np.sqrt(len(found))
        bias = times * 2.0 / (3.0 * np.sqrt(np.pi)) * deviation
        assert found.mean() - TRUE_MEAN == pytest.approx(bias, abs=4 * error)
        assert bias > 4 * error, "which is no matter of chance"


def test_the_interval_of_what_to_expect_holds_the_truth_as_often_as_it_says(
    quick: Experiment,
) -> None:
    """40 judging games: 95%, within five standard errors of 200 simulated studies."""
    rng = np.random.default_rng(21)
    held = []
    for _ in range(200):
        scores = np.rint(rng.normal(TRUE_MEAN, DEVIATION, (3, 80))).astype(int)
        points = {n + 1: (1.0, row.tolist()) for n, row in enumerate(scores)}
        picked = pick(data_of(study_of(points), quick), cost_limit=1.0)
        held.append(picked.expected.contains(TRUE_MEAN))
    assert np.mean(held) == pytest.approx(0.95, abs=5 * np.sqrt(0.95 * 0.05 / 200))


def test_the_command_for_a_theta_with_words_plays_it(words: Experiment) -> None:
    values = {"n_simulations": 5, "leaf_value": "weights_a", "exploration": 123.456789}
    study = optuna.create_study(directions=["maximize", "minimize"])
    store_point(study, values, {r: game(r, 900 + r, 1.0) for r in range(4)}, "trial 3")
    picked = pick(data_of(study, words), cost_limit=0.01)
    command = command_of(words, picked.point.params)
    assert command == (
        "thetafront play uct --set n_simulations=5 --set leaf_value=weights_a "
        "--set exploration=123.456789"
    )
    agent, _ = agent_of("uct", None, command.split()[4::2])
    assert agent == words.build(values)
    assert "m 5, U weights_a, c 123.457 (number 1, trial 3)" in pick_text(picked, words)
    answer = json.loads(json.dumps(pick_json(picked, words)))
    assert (answer["params"], answer["command"]) == (values, command)


def test_a_win_rate_that_is_recommended_was_reached_in_all_games(coin: Experiment) -> None:
    """The cheap coin won 3 of 5 in the half that chooses, but 4 of 10 in all."""
    study = optuna.create_study(
        study_name="s",
        storage=optuna.storages.InMemoryStorage(),
        directions=["maximize", "minimize"],
    )
    won = {5: "1010001001", 50: "1110110111"}
    for effort, digits in won.items():
        games = {
            r: CoinGame(500_000 + r, 0.0, 10, 1e-5 * effort, digit == "1", 10 * effort)
            for r, digit in enumerate(digits)
        }
        store_point(study, {"effort": effort}, games)
    assert pick(data_of(study, coin), score_wanted=0.4).point.params == {"effort": 5}
    picked = pick(data_of(study, coin), score_wanted=0.5)
    assert picked.point.params == {"effort": 50}
    wilson = binomtest(8, 10).proportion_ci(method="wilson")
    interval = f"80.0% ({wilson.low:.1%} to {wilson.high:.1%})"
    assert f"validated        {interval} (95% interval; all 10 games)" in pick_text(picked, coin)
    with pytest.raises(InputError) as refused:
        pick(data_of(study, coin), score_wanted=0.9)
    assert str(refused.value) == (
        "pick: win rate 90.0% given; the best validated point reaches 80.0% in all its games "
        "and in the half of them that chooses"
    )
