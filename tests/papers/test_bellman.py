"""The policies of equations 3 and 4, and the numbers of their tables on made-up games."""

import numpy as np

from results.papers import expectimax, paper
from results.papers.bellman import EQUATION_2, WHOLE, bellman_frame, policies
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
from thetafront.agents.twenty48.switching import Switching


def test_rows_of_equation_3_have_the_weights_of_their_reading() -> None:
    found = policies()
    assert len(found) == 12
    for agent, reading, gamma in list(found.values())[2:]:
        assert isinstance(agent, Table1)
        assert agent.gamma == gamma
        assert agent.reward_weight == (1 + gamma if reading == WHOLE else 1.0)
        assert agent.schedule == Table1().schedule
    last, _, _ = list(found.values())[-1]
    assert last == Table1(), "what remains, undiscounted, is equation 2"
    assert np.isnan(found[EQUATION_2][2])


def test_each_theta_is_played_without_expectimax_and_with_every_discount() -> None:
    for theta, agent in expectimax.THETAS.items():
        (plain, *_), *found = expectimax.policies(agent).values()
        assert len(found) == 2 + 4
        assert isinstance(plain, MonteCarloMDP)
        assert plain.settings.schedule.tolist() == agent.settings.plain.schedule.tolist()
        numbers = [getattr(agent, f"theta{number}") for number in range(1, 7)]
        numbers += [agent.switch_at, agent.depth]
        assert (
            ", ".join(f"{each:g}" for each in numbers)
            == (
                theta.replace("θ = (", "")
                .replace("), k = ", ", ")
                .replace(" d = ", " ")
                .split(", N")[0]
            )
        )
        assert agent in [each for each, *_ in found]
        for each, reading, gamma in found:
            assert isinstance(each, Switching)
            assert (each.theta1, each.depth, each.switch_at) == (agent.theta1, 2, 3)
            assert (each.gamma, each.whole_score) == (gamma, reading == WHOLE)


def noisy(mean: float, rng: np.random.Generator, n: int) -> np.ndarray:
    return mean + np.random.default_rng(1).normal(0, 3000, 100)[:n] + rng.normal(0, 300, n)


def test_numbers_of_equation_3() -> None:
    rng = np.random.default_rng(2)
    games = {
        name: games_of(noisy(35_000 if reading == WHOLE else 46_000, rng, 100))
        for name, (_, reading, _) in policies().items()
    }
    frame = bellman_frame(policies(), games)
    third = list(policies())[2]
    row = frame[frame["policy"] == third].iloc[0]
    mine, other = (paper.read_scores(games[name]) for name in (third, EQUATION_2))
    assert row["less_equation_2_points"] == (mine - other).mean()
    assert row["less_equation_2_high95_points"] < -10_000


def test_numbers_of_equation_4() -> None:
    """Expectimax gains 5,000 points; V as the whole game's score loses 3,000 of them."""
    rng, games = np.random.default_rng(2), {}
    for theta, agent in expectimax.THETAS.items():
        for policy, (_, reading, _) in expectimax.policies(agent).items():
            mean = 40_000 + 5_000 * bool(reading) - 3_000 * (reading == WHOLE)
            games[f"{theta}: {policy}"] = games_of(
                noisy(mean, rng, 50 if reading == WHOLE else 100)
            )
    frame = expectimax.expectimax_frame(games)
    row = frame[frame["policy"] == "V the whole game's score, γ = 0.9"].iloc[0]
    mine, other, plain = (
        paper.read_scores(games[f"{row['theta']}: {policy}"])[:50]
        for policy in (row["policy"], "V what remains, γ = 1", expectimax.PLAIN)
    )
    assert row["n_games"] == len(mine) == 50
    assert row["less_undiscounted_points"] == (mine - other).mean()
    assert row["less_plain_points"] == (mine - plain).mean()
    panels = expectimax.expectimax_figure(frame).axes
    assert len(panels) == len(expectimax.THETAS)
    for axes in panels:  # γ = 0.9 and 1 of the whole game's score lie at the ticks of these values
        assert [each.get_text() for each in axes.get_xticklabels()] == ["0.5", "0.9", "0.99", "1"]
        shown = [bars.lines[0].get_xdata() for bars in axes.containers]
        assert [np.round(places).tolist() for places in shown] == [[1, 3], [0, 1, 2, 3]]
