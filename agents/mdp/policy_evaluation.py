"""What a given policy is worth, exactly: mean and variance of its total reward, by linear equations.

Notation
--------
That of :mod:`agents.mdp.kernels`, and

===========  =======================================================================================
π            a policy: an action number for each state
P            P(s, s′) = T(s′|π(s)); 0 from a terminal state
V            the mean of the total discounted reward from each state: V = R + γ·P·V
W            its variance: W = γ²·(P·(W + V²) − (P·V)²), if what an action wins is certain
===========  =======================================================================================

With γ = 1 there is a solution, and one only, if from every state the policy comes to a terminal one in the end.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.2; the variance is Sobel's, *The
variance of discounted Markov decision processes*, Journal of Applied Probability 19 (1982).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.mdp.finite_mdp import FiniteMDP, whole_numbers
from agents.mdp.kernels import NOTHING


@dataclass(frozen=True, eq=False)
class Worth:
    """What a policy is worth from each state.

    Attributes
    ----------
    mean : float64, shape (n_states,)
        V; 0 in terminal states.
    variance : float64, shape (n_states,)
        W, as if every reward were certain; 0 in terminal states.
    """

    mean: npt.NDArray[np.float64]
    variance: npt.NDArray[np.float64]


def check_policy(mdp: FiniteMDP, given: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return a policy, shape (n_states,); ValueError if it is none."""
    policy = whole_numbers("policy", given)
    if len(policy) != mdp.n_states:
        raise ValueError(
            f"policy: {len(policy)} actions given for {mdp.n_states} states, one each expected"
        )
    first, behind = mdp.first_action[:-1], mdp.first_action[1:]
    right = np.where(mdp.terminal, policy == NOTHING, (policy >= first) & (policy < behind))
    if not right.all():
        state = int(np.flatnonzero(~right)[0])
        actions = mdp.actions(state)
        allowed = f"{actions.start} to {actions.stop - 1}" if actions else f"{NOTHING}, for none,"
        raise ValueError(
            f"policy: action {policy[state]} given for state {mdp.state_name(state)}, {allowed} allowed"
        )
    return policy


def chances(mdp: FiniteMDP, policy: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return P, shape (n_states, n_states)."""
    matrix = np.zeros((mdp.n_states, mdp.n_states))
    for state in np.flatnonzero(~mdp.terminal):
        outcomes, probabilities = mdp.outcomes(int(policy[state]))
        np.add.at(matrix[state], outcomes, probabilities)
    return matrix


def check_end(mdp: FiniteMDP, matrix: npt.NDArray[np.float64]) -> None:
    """Refuse, by ValueError, a policy by which some state never comes to a terminal one."""
    possible = matrix > 0
    ends = mdp.terminal
    while True:
        more = ends | possible[:, ends].any(axis=1)
        if (more == ends).all():
            break
        ends = more
    if not ends.all():
        state = mdp.state_name(int(np.flatnonzero(~ends)[0]))
        raise ValueError(
            f"policy: one that never ends from state {state} given, one that ends from every state allowed with "
            "discount 1"
        )


def evaluate(mdp: FiniteMDP, policy: npt.ArrayLike, discount: float | None = None) -> Worth:
    """Evaluate a policy by solving its linear equations.

    Parameters
    ----------
    mdp : FiniteMDP
        The process.
    policy : array_like of int, shape (n_states,)
        The number of an action of each state; -1 for a terminal one.
    discount : float, optional
        γ, in (0, 1]; the process' own if not given.

    Returns
    -------
    Worth
        Mean and variance of the total discounted reward from each state.

    Raises
    ------
    ValueError
        If the policy is none, the discount is out of range, or it is 1 and the policy never ends from some state.

    Notes
    -----
    The matrix is dense: some thousand states at most.
    """
    gamma = mdp.discount if discount is None else discount
    if not 0 < gamma <= 1:
        raise ValueError(f"discount: {gamma} given, above 0 and up to 1 allowed")
    actions = check_policy(mdp, policy)
    matrix = chances(mdp, actions)
    if gamma == 1:
        check_end(mdp, matrix)
    playing = ~mdp.terminal
    rewards = np.zeros(mdp.n_states)
    rewards[playing] = mdp.reward[actions[playing]]
    one = np.eye(mdp.n_states)
    mean = np.linalg.solve(one - gamma * matrix, rewards)
    after = matrix @ mean
    spread = gamma**2 * (matrix @ mean**2 - after**2)
    variance = np.linalg.solve(one - gamma**2 * matrix, np.maximum(spread, 0.0))
    return Worth(mean.astype(np.float64), variance.astype(np.float64))
