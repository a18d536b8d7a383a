"""The games of one agent as ``play`` prints them: one JSON object, or lines of text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from thetafront.agents.agent import Agent, Game
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.dimension import written
from thetafront.study.experiments.game_summary import MatchSummary, share_reaching
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SECONDS, Cost
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, WIN_RATE, Goal, mean
from thetafront.study.text import counted

SCORE = mean(unit="points")
TILES = tuple(2**exponent for exponent in range(10, 16))
N_TILES = 4  # how many of the tiles are always shown, from the smallest on
OF_A_2048_GAME = ("seed", "score", "n_moves", "max_tile", "seconds")
LABEL_WIDTH = 13


@dataclass(frozen=True)
class PlaySummary:
    """Games of one agent as ``play`` prints them: a JSON object, or lines of text."""

    agent: str  # its name
    params: Mapping[str, Value]  # its parameters
    games: Sequence[Game]  # at least one
    # The objectives that are estimated.
    goals: tuple[Goal, ...]
    costs: tuple[Cost, ...]

    @classmethod
    def from_agent(cls, name: str, agent: Agent, params: Mapping[str, Value], games: Any) -> Self:
        """Summarize games of a catalog agent, with all goals and costs that these games have."""
        wins = (WIN_RATE,) if hasattr(games[0], "won") else ()
        counts = (PLAYOUT_MOVES,) if getattr(games[0], "n_playout_moves", 0) else ()
        score = SCORE if agent.is_random else EXACT_SCORE
        return cls(name, params, games, (*wins, score), (SECONDS, *counts))

    def json(self) -> dict[str, Any]:
        """Return the summary as JSON data; unknown numbers are None.

        For 2048, ``reach`` has the share of games that reached each tile: the tiles from 1024 to
        8192, and all larger tiles that at least one game reached.
        """
        n_moves = [game.n_moves for game in self.games]
        return {
            "agent": self.agent,
            "params": dict(self.params),
            "n_games": len(self.games),
            **{goal.name: self.estimated(goal) for goal in self.goals},
            **({"reach": self.reached} if self.reached else {}),
            **({"n_moves_mean": sum(n_moves) / len(n_moves)} if max(n_moves) > 1 else {}),
            **self.costs_json,
            "games": [game_fields(game) for game in self.games],
        }

    def estimated(self, goal: Goal) -> dict[str, float | None]:
        """Return the estimate of a goal as named numbers; for a match, also results and Elo."""
        found, samples = goal.estimate(self.games), goal.samples(self.games)
        match = MatchSummary(ReportedGame).columns(self.games) if goal.is_match else {}
        values = {
            "mean": found.value,
            "sem": found.sem,
            "low95": found.low,
            "high95": found.high,
            "min": float(samples.min()),
            "max": float(samples.max()),
            **match,
        }
        return {name: finite(value) for name, value in values.items()}

    def cost(self, cost: Cost) -> Estimate:
        """Return a cost with its 95% interval."""
        are_alike = all(goal.is_exact for goal in self.goals)
        return cost.estimates([self.games], are_alike)[0]

    @property
    def costs_json(self) -> dict[str, float | None]:
        """The costs and the ends of their 95% intervals, by the names that tables use."""
        found: dict[str, float | None] = {}
        for cost in self.costs:
            each = self.cost(cost)
            found |= zip(cost.columns, map(finite, (each.value, each.low, each.high)), strict=True)
        return found

    @property
    def reached(self) -> dict[str, float]:
        """The shares of games of 2048 that reached each tile."""
        games = [game for game in self.games if isinstance(game, Game2048)]
        shares = [(tile, share_reaching(games, tile)) for tile in TILES] if games else []
        return {str(t): share for k, (t, share) in enumerate(shares) if share or k < N_TILES}

    def text(self) -> str:
        """Return the summary as text: a heading, and one line for each quantity."""
        lines: list[tuple[str, str]] = []
        for goal in self.goals:
            lines.append((goal.label, self.goal_text(goal)))
            if goal.is_match:
                lines += MatchSummary(ReportedGame).lines(self.games)
        if self.reached:
            shares = (f"{tile} {share:.1%}" for tile, share in self.reached.items())
            lines.append(("reached", ", ".join(shares)))
        for cost in self.costs:
            found = self.cost(cost)
            text = cost.interval(found.value, found.low, found.high)
            if math.isnan(found.value):
                text = "unknown, because no game was played alone"
            lines.append((cost.label, text))
        n_moves = [game.n_moves for game in self.games]
        if max(n_moves) > 1:
            lines.append(("moves", f"{sum(n_moves) / len(n_moves):,.1f} per game"))
        params = ", ".join(
            f"{key} {format(value, 'g') if isinstance(value, float) else written(value) or 'none'}"
            for key, value in self.params.items()
        )
        agent = f"{self.agent} ({params})" if params else self.agent
        heading = f"{agent}, {counted(len(self.games), 'game')} from seed {self.games[0].seed}"
        width = max(LABEL_WIDTH, *(len(label) + 2 for label, _ in lines))
        return "\n".join([heading, *(f"{label:{width}}{text}" for label, text in lines)])

    def goal_text(self, goal: Goal) -> str:
        """Write the estimate of a goal with its interval, and the range of the games' values."""
        found = goal.estimate(self.games)
        text = goal.format.interval_with_unit(found.value, found.low, found.high)
        if goal.is_exact:
            return text
        samples = goal.samples(self.games)
        ends = f"{goal.format.text(samples.min())} to {goal.format.text(samples.max())}"
        return f"{text}, 95% interval" + ("" if goal.is_share else f"; single games {ends}")


def finite(value: float) -> float | None:
    """Return a number; None if it is NaN or infinite."""
    return value if math.isfinite(value) else None


def game_fields(game: Game) -> dict[str, Any]:
    """Return a game's fields; for a game of 2048, only the most important ones."""
    if isinstance(game, Game2048):
        return {name: getattr(game, name) for name in OF_A_2048_GAME}
    return game.to_row()
