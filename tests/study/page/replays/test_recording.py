"""Recordings against the positions of the agents' own games, and the rules of the oracles."""

from collections import Counter
from typing import Any

import pytest

from tests.browser.played import agents
from tests.oracles import dice as dice_oracle
from tests.oracles import twenty48 as oracle
from thetafront.agents.agent import Agent
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.twenty48 import unpack
from thetafront.study.page.replays.recorded import record_game

DIRECTIONS = [(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)]


def steps_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a page shows at each position."""
    columns = data["steps"]
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def test_a_hundred_games_are_on_record_position_by_position() -> None:
    events: Counter[str] = Counter()
    n_games: Counter[str] = Counter()
    for agent, seeds in agents():
        for seed in seeds:
            recording, game = record_game(agent, seed), agent.play(seed)
            steps = steps_of(recording)
            assert len(steps) == game.n_moves + 1
            assert steps[-1]["score"] == game.score
            n_games[game.kind] += 1
            events.update(CHECKS[game.kind](agent, game, recording, steps))
    assert n_games == {"2048": 34, "pacman": 33, "dice": 33}
    # What no game has shown is not tested.
    needed = {"merge", "four", "won", "lost", "cut", "slip", "wall", "scared", "reroll", "flipped"}
    assert needed <= events.keys(), events


def check_2048(
    agent: Agent2048, game: Any, data: dict[str, Any], steps: list[dict[str, Any]]
) -> Counter[str]:
    """Compare with the decisions that the agent yields; return what happened."""
    cells = [[int(digit, 16) for digit in step["cells"]] for step in steps]
    for step, at, move in zip(steps, cells, agent.moves(game.seed), strict=False):
        assert (at, step["score"]) == (unpack(move.board).ravel().tolist(), move.score)
    assert cells[-1] == unpack(game.end_board).ravel().tolist()
    assert steps[0]["action"] == steps[0]["spawned"] == -1
    faces = [oracle.to_faces([at[k : k + 4] for k in (0, 4, 8, 12)]) for at in cells]
    new = []
    for before, after, at, step in zip(faces, faces[1:], cells[1:], steps[1:], strict=False):
        slid, _ = oracle.slide(before, step["action"], agent.rule)
        new.append(at[step["spawned"]])
        assert oracle.put(slid, divmod(step["spawned"], 4), 2 ** new[-1]) == after
    assert set(new) <= {1, 2}
    return Counter(merge=game.score > 0, four=2 in new)


def check_pacman(
    agent: PacmanAgent, game: Any, data: dict[str, Any], steps: list[dict[str, Any]]
) -> Counter[str]:
    """Compare with the world that the actions on record lead to; return what happened."""
    world = agent.start(game.seed)
    events: Counter[str] = Counter()
    for turn, step in enumerate(steps):
        if turn:
            x, y = world.pacman
            world.step(step["action"])
            east, north = DIRECTIONS[step["moved"]]
            wall = bool(agent.layout.walls[x + east, y + north])
            assert world.pacman == ((x, y) if wall else (x + east, y + north))
            events.update(wall=wall, slip=step["moved"] != step["action"])
        assert (step["x"], step["y"]) == world.pacman
        assert (step["score"], step["n_food"]) == (world.score, world.n_food)
        assert step["outcome"] == world.outcome.name.lower()
        places = [(x / 2, y / 2, bool(is_scared)) for x, y, is_scared in step["ghosts"]]
        assert places == [(each.x, each.y, each.timer > 0) for each in world.ghosts]
        for left, kind in ((world.food, 0), (world.capsules, 1)):
            shown = {
                (x, y)
                for x, y, is_capsule, eaten in data["morsels"]
                if is_capsule == kind and (eaten is None or eaten > turn)
            }
            assert shown == set(zip(*map(list, left.nonzero()), strict=True))
        events.update(scared=any(each.timer for each in world.ghosts))
    assert data["rows"] == list(agent.layout.rows)
    return events + Counter([steps[-1]["outcome"]])


def check_dice(
    agent: DiceAgent, game: Any, data: dict[str, Any], steps: list[dict[str, Any]]
) -> Counter[str]:
    """Compare with the agent's decisions on the hands on record; return what happened."""
    for k, step in enumerate(steps[:-1]):
        hand = tuple(face for face, _ in step["dice"])
        assert agent.act(hand).held == tuple(face for face, is_held in step["dice"] if is_held)
        assert step["score"] == -k
    assert hand == game.end_roll
    faces = [face for face, _ in steps[-1]["dice"]]
    assert sum(faces) == dice_oracle.final_score(hand, agent.n_sides)
    flipped = [face != before for face, before in zip(faces, hand, strict=True)]
    for is_flipped, (_, said), before in zip(flipped, steps[-1]["dice"], hand, strict=True):
        assert bool(said) == (hand.count(before) > 1)
        assert said or not is_flipped
    return Counter(reroll=game.n_moves > 1, flipped=any(flipped))


CHECKS: dict[str, Any] = {"2048": check_2048, "pacman": check_pacman, "dice": check_dice}


@pytest.mark.parametrize("kind", ["random", "pacman_random", "dice"])
def test_a_game_has_the_same_record_each_time(kind: str) -> None:
    agent: Agent = next(each for each, _ in agents() if each.name == kind)
    record = record_game.__wrapped__
    assert record(agent, 5) == record(agent, 5)
    assert record(agent, 5) != record(agent, 6)
