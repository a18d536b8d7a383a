"""Finite MDPs from the plain descriptions of :mod:`tests.oracles.finite_mdp`."""

from typing import Any

from tests.oracles import finite_mdp as oracle
from thetafront.agents.mdp.finite_mdp import FiniteMDP


def mdp_of(description: oracle.Description, discount: float) -> FiniteMDP:
    """Number states and actions in their order."""
    number = {state: k for k, state in enumerate(description)}
    first_action, first_outcome, rewards = [0], [0], []
    outcomes: list[int] = []
    probabilities: list[float] = []
    for actions in description.values():
        for reward, afters in actions.values():
            rewards.append(reward)
            outcomes += [number[after] for after in afters]
            probabilities += afters.values()
            first_outcome.append(len(outcomes))
        first_action.append(len(rewards))
    arrays: Any = first_action, rewards, first_outcome, outcomes, probabilities
    return FiniteMDP(*arrays, discount)


def actions_of(description: oracle.Description, policy: Any) -> list[Any]:
    """The names of a policy's actions, one for each state; None for a terminal one."""
    names = [action for actions in description.values() for action in actions]
    return [names[action] if action >= 0 else None for action in policy]


CHAIN = mdp_of(oracle.CHAIN, 1.0)
