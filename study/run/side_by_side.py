"""Which of a point's games are played side by side.

Some agents play faster if they play K games side by side in one process
(:attr:`agents.agent.Agent.n_side_by_side`). They play the games of a point in blocks. A block has
N_ALONE = 3 games played alone, which give the cost, and then N_TOGETHER = 2 times K games side by
side. So with K = 8, 3 of 19 games are timed; all 19 count for the score.

Which games are played together depends on a game's number, on the games already stored and on how
many are asked for; it does not depend on timing or the number of workers. The record of a game
names the games played with it, so that they can be played again.
"""

from collections.abc import Mapping

from thetafront.agents.agent import Game

N_ALONE = 3
N_TOGETHER = 2
EXPECTED_SHARE = 0.65
"""Expected seconds a game in a block, relative to a game alone; used until blocks are played.

The speed of ``mcmdp`` was measured in random moves per CPU second, for eight games side by side
relative to one game (medians of seven rounds of ``make bench``, with AVX-512). It was 1.36 at the
author's θ and 2.20 at a cheap point of the front. For blocks that gives 0.78 and 0.54.
"""


def expected_share(n_side_by_side: int) -> float:
    """Return the expected time of a validation game, relative to its time when played alone."""
    return 1.0 if n_side_by_side == 1 else EXPECTED_SHARE


def together(replicate: int, n_side_by_side: int) -> range:
    """Return the replicates that are played with this one, including itself.

    Parameters
    ----------
    replicate : int
        Number of a game of a point, from 0 on.
    n_side_by_side : int
        K, 1 or more.
    """
    length = N_ALONE + N_TOGETHER * n_side_by_side
    place = replicate % length
    if n_side_by_side == 1 or place < N_ALONE:
        return range(replicate, replicate + 1)
    first = replicate - (place - N_ALONE) % n_side_by_side
    return range(first, first + n_side_by_side)


def next_together(
    replicate: int, n_side_by_side: int, most: int, games: Mapping[int, Game]
) -> range:
    """Return the replicates to play with a missing one, including itself.

    It is played alone if others of its group were played alone.

    Parameters
    ----------
    replicate, n_side_by_side : int
        As for :func:`together`.
    most : int
        Maximum number of games of the point; further games are not played.
    games : mapping of int to Game
        The point's games so far, by replicate. After a kill, only some of the games played together
        may be there; then all are played again.
    """
    found = together(replicate, n_side_by_side)
    of_seeds = {tuple(games[each].played_with) for each in found if each in games}
    fits = found.stop <= most and all(len(seeds) == len(found) for seeds in of_seeds)
    return found if fits else range(replicate, replicate + 1)
