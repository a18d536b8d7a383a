"""The game of dice as a problem to solve: what the greedy policy is worth, exactly, and what it takes to find it.

All thinking is done before the first roll, so a game tells nothing of what thinking costs, and a policy's worth is known
without playing: by linear equations, see :attr:`agents.dice.agent.DiceAgent.expected_score`. Here *one game* is therefore one
solution: its score is that expectation, in points and without noise; it has one move; its seconds are those of the sweeps.

A solution takes a tenth of a millisecond or three, of which a clock tells little once. So it is made
:data:`N_SOLUTIONS` times, each from the same beginning, and the seconds are the median.
"""

from dataclasses import dataclass

from agents.agent import Agent, Game, check_seed, warm
from agents.dice.agent import DiceAgent
from engine.dice import THREE_DICE, Dice

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

    n_sweeps: int
    n_sticking: int


@dataclass(frozen=True)
class DiceSolver(Agent):
    """Solves the game of dice, and says what the policy is worth.

    Parameters
    ----------
    gamma, tolerance, rules
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

    gamma: float = 1.0
    tolerance: float = 1e-9
    rules: Dice = THREE_DICE

    def __post_init__(self) -> None:
        self.player()

    @classmethod
    def from_numbers(cls, gamma: float = 1.0, tolerance: float = 1e-9) -> "DiceSolver":
        """Make the solver for three dice."""
        return cls(gamma, tolerance)

    def player(self) -> DiceAgent:
        """Return an agent that plays the policy, and has not solved anything yet."""
        return DiceAgent(self.gamma, self.tolerance, self.rules)

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
