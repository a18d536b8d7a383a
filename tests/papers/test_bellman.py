"""The policies of equations 3 and 4, and the ticks of a figure."""

import numpy as np
import pandas as pd

from results.papers import expectimax
from results.papers.bellman import EQUATION_2, WHOLE, policies
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
from thetafront.agents.twenty48.switching import Switching
from thetafront.engine.jit import ROOT


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


def test_bars_stand_at_the_ticks_of_their_discounts() -> None:
    """V as the whole game's score has two of the four discounts."""
    frame = pd.read_csv(ROOT / "results" / "reference" / "expectimax" / "expectimax.csv")
    panels = expectimax.expectimax_figure(frame).axes
    assert len(panels) == len(expectimax.THETAS)
    for axes in panels:
        assert [each.get_text() for each in axes.get_xticklabels()] == ["0.5", "0.9", "0.99", "1"]
        shown = [bars.lines[0].get_xdata() for bars in axes.containers]
        assert [np.round(places).tolist() for places in shown] == [[1, 3], [0, 1, 2, 3]]
