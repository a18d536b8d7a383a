"""What every agent of the catalog does, as checks of one agent by its name.

Checks play *small* agents: each number of θ is at most 2, so that a game takes milliseconds.
"""

import csv
import gc
import io
import json
import math
import pickle
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from numba.core.dispatcher import Dispatcher

from thetafront.agents.agent import Agent, Game, agent_digest, identity, warm
from thetafront.agents.catalog import AGENTS, build, build_identified, parameters
from thetafront.agents.parameters import Categories, Flag, IntegerRange, Parameter, RealRange, Value

SEEDS = range(4)
MAX_BYTES = 2000


def small_values(name: str) -> dict[str, Value]:
    """Parameters with which an agent decides fast."""
    return {
        key: max(each.domain.low, min(each.default, 2))  # type: ignore[attr-defined]  # a range
        for key, each in parameters(name).items()
        if each.is_number and not each.keyword_only
    }


def small(name: str) -> Agent:
    return build(name, small_values(name))


def ends(parameter: Parameter) -> list[Value]:
    """Both ends of a range, or every category; nothing for domains of other kinds."""
    domain = parameter.domain
    if isinstance(domain, RealRange) and domain.open_low:
        return [math.nextafter(domain.low, math.inf), domain.high]
    if isinstance(domain, IntegerRange | RealRange):
        return [domain.low, min(domain.high, 1e300)]
    if isinstance(domain, Flag):
        return [0, 1]
    return list(domain.members) if isinstance(domain, Categories) else []


def outside(parameter: Parameter) -> list[Value]:
    """Values that a parameter must not have."""
    domain = parameter.domain
    values: list[Value] = [math.nan, math.inf, -math.inf, "chess"]
    if isinstance(domain, IntegerRange):
        values += [domain.low - 1, domain.low + 0.5]
        values += [domain.high + 1] if domain.high < math.inf else []
    if isinstance(domain, RealRange):
        values += [domain.low if domain.open_low else math.nextafter(domain.low, -math.inf)]
        values += [math.nextafter(domain.high, math.inf)] if domain.high < math.inf else []
    return values + ([2, 0.5] if isinstance(domain, Flag) else [])


def variants(name: str) -> Iterator[tuple[str, Agent]]:
    """The agent, and each agent with one parameter at an end; a joint rule may refuse one."""
    known = parameters(name)
    yield "default", build(name, {})
    for key, parameter in known.items():
        for value in ends(parameter):
            try:
                yield f"{key} {value}", build(name, {key: value})
            except ValueError as error:
                joint = rf"^({'|'.join(known)}) must .*got .* with "
                assert re.match(joint, str(error)), f"{key} {value}: {error}"  # noqa: PT017


def small_variants(name: str) -> list[Agent]:
    """The small agent, and each other one with a flag or a category changed: other code may run."""
    changed = [
        {key: value}
        for key, each in parameters(name).items()
        if isinstance(each.domain, Flag | Categories)
        for value in ends(each)
    ]
    found = [build(name, {**small_values(name), **each}) for each in ({}, *changed)]
    return list(dict.fromkeys(found))


def untimed(game: Game) -> Game:
    return replace(game, seconds=0.0)


def check_refusals(name: str) -> None:
    """What is out of range is refused by name, with the range."""
    for key, parameter in parameters(name).items():
        for value in outside(parameter):
            with pytest.raises(ValueError, match=f"^{key} must ") as refused:
                build(name, {key: value})
            if ends(parameter):
                assert f" must be {parameter.domain.allowed} (got " in str(refused.value)
    with pytest.raises(ValueError, match=r"^parameter must be one of .* \(got 'chess'\)"):
        build(name, {"chess": 1})
    for seed in (-1, 2**63):
        with pytest.raises(
            ValueError, match=rf"^seed must be between 0 and 2\*\*63 - 1 \(got {seed}\)$"
        ):
            build(name, {}).play(seed)


def check_identities(name: str) -> None:
    """An agent is its name and parameters: built again from them, pickled, and in its digest."""
    digests = {}
    for text, agent in variants(name):
        values = identity(agent)
        assert values["agent"] == name
        assert build_identified(json.loads(json.dumps(values))) == agent, text
        assert pickle.loads(pickle.dumps(agent)) == agent, text
        assert len(pickle.dumps(agent)) < MAX_BYTES, text
        assert digests.setdefault(agent_digest(agent), agent) == agent, text
        assert sum(each == agent for each in digests.values()) == 1, text


def check_games(name: str) -> None:
    """A game is its seed's, survives storage, and leaves the agent as small as it was."""
    agent = small(name)
    games = [agent.play(seed) for seed in SEEDS]
    assert untimed(small(name).play(SEEDS[0])) == untimed(games[0])
    assert (len({replace(untimed(game), seed=0) for game in games}) > 1) == agent.is_random
    for seed, game in zip(SEEDS, games, strict=True):
        assert game.seed == seed
        assert game.is_possible
        row = game.to_row()
        assert type(game).from_row(json.loads(json.dumps(row))) == game
        text = io.StringIO()
        writer = csv.DictWriter(text, row)
        writer.writeheader()
        writer.writerow(row)
        (cells,) = csv.DictReader(io.StringIO(text.getvalue()))
        assert type(game).from_row(cells) == game
    assert len(pickle.dumps(agent)) < MAX_BYTES


CHECKS = (check_refusals, check_identities, check_games)


def check_warming(name: str) -> None:
    """After ``warm``, a game loads and compiles no kernel. Only a fresh process can tell."""
    kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher)]
    assert kernels
    for agent in small_variants(name):
        arrived = pickle.loads(pickle.dumps(agent))  # as in a worker
        warm(arrived)
        n_compiled = sum(len(kernel.overloads) for kernel in kernels)
        arrived.play(1)
        assert sum(len(kernel.overloads) for kernel in kernels) == n_compiled, arrived


def check_all_warmings() -> None:
    """Check all agents of the catalog."""
    for name in AGENTS:
        check_warming(name)
