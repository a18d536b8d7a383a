"""Solving the game of dice: the exact mean score of the greedy policy, and the time to find it.

All computation happens before the first roll, so a game does not show what the computation costs.
The mean score of a policy needs no games: :attr:`agents.dice.agent.DiceAgent.expected_score` solves
linear equations. So for this agent, *one game* means solving the game of dice once. The score is
then the exact mean score, in points and without noise; the number of moves is 1, and the seconds
are those of the sweeps.

The sweeps take only 0.1 to 0.3 ms, which is too short to be measured once. So the game is solved
:data:`N_SOLUTIONS` times from the same initial values, and the seconds are the median time.
"""

from dataclasses import dataclass
from typing import ClassVar

from thetafront.agents.agent import Game, check_seed, column, register, warm
from thetafront.agents.dice.agent import DiceAgent, DiceParameters

N_SOLUTIONS = 51


@dataclass(frozen=True)
class DiceSolution(Game, kind="dice_solution"):
    """The game of dice solved once; its score is the exact mean score of the policy, in points.

    Attributes
    ----------
    n_sweeps : int
        Sweeps until the residual was at most the tolerance: an exact count, equal on all machines.
    n_sticking : int
        Number of states in which the policy sticks.
    """

    n_sweeps: int = column()
    n_sticking: int = column()


@register
@dataclass(frozen=True)
class DiceSolver(DiceParameters):
    """Solves the game of dice by value iteration.

    :class:`agents.dice.agent.DiceParameters` describes the parameters.

    Examples
    --------
    >>> solution = DiceSolver(gamma=0.97, tolerance=0.001).play(seed=0)
    >>> round(solution.score, 4), solution.n_sweeps, solution.n_moves
    (13.1397, 11, 1)
    """

    name: ClassVar[str] = "dice_solver"
    is_random: ClassVar[bool] = False

    def player(self) -> DiceAgent:
        """Return a new agent that plays the policy; it has not solved the game yet."""
        return DiceAgent(self.gamma, self.tolerance, self.n_dice, self.n_sides)

    def warm_up(self) -> None:
        """Solve and play the game with one die of two sides."""
        self.player().warm_up()

    def play(self, seed: int) -> DiceSolution:
        """Solve the game; apart from ``seconds``, the solution is the same for all seeds."""
        check_seed(seed)
        warm(self)
        player = self.player()
        return DiceSolution(
            seed=seed,
            score=player.expected_score,
            n_moves=1,
            seconds=player.solving_seconds(N_SOLUTIONS),
            n_sweeps=player.solved.n_sweeps,
            n_sticking=player.n_sticking,
        )
