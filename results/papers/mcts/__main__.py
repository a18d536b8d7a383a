"""Tree search: Kochenderfer, Wheeler, Wray (2022), §9.6.

Score by leaf value against simulations and against time, runtime against depth, progressive
widening of states and of actions at equal time, and two readings of the source.
"""

from results.papers import paper
from results.papers.mcts.design import DESIGN
from results.papers.mcts.run import reproduce


def mcts(of: paper.Paper) -> None:
    """Play and time what is missing, and write the results."""
    reproduce(of, DESIGN)


if __name__ == "__main__":
    paper.script(mcts, "mcts", 100)
