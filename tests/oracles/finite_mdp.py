"""Finite MDPs in plain Python: optimal values, and heuristic search as in the book.

A description maps each state to its actions, and each action to its reward and next states. There
are no kernels here, and no arrays but those of linear equations.
"""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.oracles.twenty48 import substream, words

Description = dict[Any, dict[Any, tuple[Any, dict[Any, Any]]]]
PLAYOUT = 3

# Five steps to the end. From each step, a leap to the end fails seven times out of ten, and leads
# back to the beginning. With V(0) = x, a leap has the value -1 + 7/10 x from every step. From 0
# this is x itself, so x = -10/3, against -5 for walking. From 1 it is -10/3 against -4, from 2
# against -3.
CHAIN: Description = {
    **{
        step: {
            "walk": (-1.0, {step + 1: 1.0}),
            "leap": (-1.0, {5: 0.3, 0: 0.7}),
        }
        for step in range(5)
    },
    5: {},
}
CHAIN_VALUES = [-10 / 3, -10 / 3, -3.0, -2.0, -1.0, 0.0]
CHAIN_ACTIONS = ["leap", "leap", "walk", "walk", "walk", None]


def q(description: Description, values: Any, discount: Any, state: Any, action: Any) -> Any:
    reward, outcomes = description[state][action]
    return reward + discount * sum(p * values[after] for after, p in outcomes.items())


def greedy(description: Description, values: Any, discount: Any, state: Any) -> tuple[Any, Any]:
    """The best action, the first one in a tie, and its value."""
    actions = list(description[state])
    qs = [q(description, values, discount, state, action) for action in actions]
    return actions[qs.index(max(qs))], max(qs)


def random_description(seed: int, n_states: int = 8, n_terminal: int = 1) -> Description:
    """States that lead anywhere, with one to three actions of one to four outcomes each."""
    chance = random.Random(seed)
    description: Description = {}
    for state in range(n_states):
        description[state] = {}
        if state >= n_states - n_terminal:
            continue
        for action in range(chance.randint(1, 3)):
            afters = chance.sample(range(n_states), chance.randint(1, 4))
            weights = [chance.randint(1, 9) for _ in afters]
            outcomes = {a: w / sum(weights) for a, w in zip(afters, weights, strict=True)}
            description[state][action] = (chance.uniform(-5, 5), outcomes)
    return description


# --- policy iteration: policies are evaluated by linear equations, until none is better ---


def worth(description: Description, policy: dict[Any, Any], discount: float) -> dict[Any, float]:
    """Values of a policy: the solution of (1 - γP)·V = R."""
    states = list(description)
    number = {state: k for k, state in enumerate(states)}
    matrix, rewards = np.eye(len(states)), np.zeros(len(states))
    for state, action in policy.items():
        reward, outcomes = description[state][action]
        rewards[number[state]] = reward
        for after, p in outcomes.items():
            matrix[number[state], number[after]] -= discount * p
    return dict(zip(states, np.linalg.solve(matrix, rewards).tolist(), strict=True))


def solve(description: Description, discount: float) -> tuple[dict[Any, float], dict[Any, Any]]:
    """Optimal values, and an optimal policy; with discount 1 every policy has to end."""
    policy = {state: next(iter(actions)) for state, actions in description.items() if actions}
    while True:
        values = worth(description, policy, discount)
        changed = False
        for state, action in policy.items():
            by_action = {a: q(description, values, discount, state, a) for a in description[state]}
            best = max(by_action, key=lambda a: by_action[a])
            if by_action[best] > by_action[action] + 1e-10:
                policy[state], changed = best, True
        if not changed:
            return values, policy


def that_ends(description: Description, chance: float) -> Description:
    """The same, but every action leads to the last state with this probability or more."""
    end = list(description)[-1]
    assert not description[end]
    ended: Description = {}
    for state, actions in description.items():
        ended[state] = {}
        for action, (reward, outcomes) in actions.items():
            mixed = {after: (1 - chance) * p for after, p in outcomes.items()}
            mixed[end] = mixed.get(end, 0.0) + chance
            ended[state][action] = (reward, mixed)
    return ended


# --- heuristic search, by §9.7 and §9.8 of the book, and the random words ---


def draw(outcomes: dict[Any, float], word: int) -> Any:
    left = (word >> 11) / 2**53
    for after, p in outcomes.items():
        left -= p
        if left < 0:
            return after
    return after


def words_of(seed: int, simulation: int) -> Iterator[int]:
    return words(substream(substream(seed, PLAYOUT), simulation))


def heuristic_search(
    description: Description,
    discount: float,
    start: Any,
    bound: dict[Any, float],
    n_simulations: int,
    depth: int,
    seed: int,
) -> tuple[dict[Any, float], int]:
    """U, and the number of backups."""
    values = dict(bound)
    n_backups = 0
    for simulation in range(n_simulations):
        state, random_words = start, words_of(seed, simulation)
        for _ in range(depth):
            if not description[state]:
                break
            action, value = greedy(description, values, discount, state)
            values[state] = min(values[state], value)
            n_backups += 1
            state = draw(description[state][action][1], next(random_words))
    return values, n_backups


def labelled_heuristic_search(
    description: Description,
    discount: float,
    start: Any,
    bound: dict[Any, float],
    depth: int,
    delta: float,
    seed: int,
) -> tuple[dict[Any, float], set[Any], int]:
    """U, the solved states, and the number of rounds."""
    values = dict(bound)
    solved = {state for state, actions in description.items() if not actions}

    def envelope_of(state: Any) -> tuple[list[Any], bool]:
        found, envelope, to_do = False, [], [state]
        seen = {state}
        while to_do:
            state = to_do.pop()
            envelope.append(state)
            action, value = greedy(description, values, discount, state)
            if values[state] - value > delta:
                found = True
                continue
            for after in description[state][action][1]:
                if after not in solved and after not in seen:
                    seen.add(after)
                    to_do.append(after)
        return envelope, found

    def label(state: Any) -> bool:
        if state in solved:
            return True
        envelope, found = envelope_of(state)
        if found:
            for each in reversed(envelope):
                values[each] = min(values[each], greedy(description, values, discount, each)[1])
            return False
        solved.update(envelope)
        return True

    n_rounds = 0
    while start not in solved:
        state, visited, random_words = start, [], words_of(seed, n_rounds)
        while len(visited) < depth and state not in solved:
            visited.append(state)
            action, value = greedy(description, values, discount, state)
            values[state] = min(values[state], value)
            state = draw(description[state][action][1], next(random_words))
        while visited and label(visited.pop()):
            pass
        n_rounds += 1
    return values, solved, n_rounds
