"""The game of dice as a problem to solve: what the greedy policy is worth, exactly, and what it takes to find it.

All thinking is done before the first roll, so a game tells nothing of what thinking costs, and a policy's worth is known
without playing: by linear equations, see :attr:`agents.dice.agent.DiceAgent.expected_score`. Here *one game* is therefore one
solution: its score is that expectation, in points and without noise; it has one move; its seconds are those of the sweeps.

A solution takes a tenth of a millisecond or three, of which a clock tells little once. So it is made
:data:`N_SOLUTIONS` times, each from the same beginning, and the seconds are the median.
"""

from dataclasses import dataclass
from typing import ClassVar

from agents.agent import Agent, Game, check_seed, column, warm
from agents.dice.agent import MOST_DICE, MOST_SIDES, DiceAgent
from agents.parameters import integer, real
from engine.dice import THREE_DICE

N_SOLUTIONS = 51


@dataclass(frozen=True)
class DiceSolution(Game, kind="dice_solution"):
    """The game of dice, solved once; its score is the exact mean score of the greedy policy, in points.

    Attributes
    ----------
    n_sweeps : int
        Sweeps until the residual was within the tolerance: exact, and the same on every machine.
    n_sticking : int
        In how many states the policy sticks.
    """

    n_sweeps: int = column()
    n_sticking: int = column()


@dataclass(frozen=True)
class DiceSolver(Agent):
    """Solves the game of dice, and says what the policy is worth.

    Parameters
    ----------
    gamma, tolerance, n_dice, n_sides
        As for :class:`agents.dice.agent.DiceAgent`.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> solution = DiceSolver(gamma=0.97, tolerance=0.001).play(seed=0)
    >>> round(solution.score, 4), solution.n_sweeps, solution.n_moves
    (13.1397, 11, 1)
    """

    name: ClassVar[str] = "dice_solver"

    gamma: float = real(1.0, 0, 1, open_low=True)
    tolerance: float = real(1e-9, 0)
    n_dice: int = integer(THREE_DICE.n_dice, 1, MOST_DICE)
    n_sides: int = integer(THREE_DICE.n_sides, 2, MOST_SIDES)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.player()

    def player(self) -> DiceAgent:
        """Return an agent that plays the policy, and has not solved anything yet."""
        return DiceAgent(self.gamma, self.tolerance, self.n_dice, self.n_sides)

    def warm_up(self) -> None:
        """Have the player warm up."""
        self.player().warm_up()

    def play(self, seed: int) -> DiceSolution:
        """Solve the game; the same for all seeds, ``seconds`` apart."""
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
