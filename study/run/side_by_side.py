"""Which of a point's games are played side by side.

An agent that plays more games a second side by side (:attr:`agents.agent.Agent.n_side_by_side`, K)
plays the games of a point in blocks: N_ALONE games alone, which give the cost, and then N_TOGETHER
times K side by side, which give the score. So with K = 8, 3 of 19 games are timed.

Which games are played together follows from a game's number, from the games already stored and from
how many are asked for; not from timing or the number of workers. Records name them, so that they
can be played again.
"""

from collections.abc import Mapping

from thetafront.agents.agent import Game

N_ALONE = 3
N_TOGETHER = 2
EXPECTED_SHARE = 0.65
"""Seconds a game of such a block over those of a game alone, before any block has been played.

Eight side by side play 1.36 times as many random moves a CPU second as one at the author's θ of
``mcmdp``, 2.20 times at a cheap point of its front (medians of seven rounds, as ``make bench``
plays them, with AVX-512). For blocks that gives 0.78 and 0.54.
"""


def expected_share(n_side_by_side: int) -> float:
    """Return the expected time of a validation game, relative to its time when played alone."""
    return 1.0 if n_side_by_side == 1 else EXPECTED_SHARE


def together(replicate: int, n_side_by_side: int) -> range:
    """Return the replicates that are played with this one, its own included.

    Parameters
    ----------
    replicate : int
        Of a point, from 0 on.
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
    """Return the replicates to play with a missing one: it alone if others were played alone.

    Parameters
    ----------
    replicate, n_side_by_side : int
        As for :func:`together`.
    most : int
        Maximum number of games of the point; those beyond are not played.
    games : mapping of int to Game
        The point's games so far, by replicate. A kill may have left some of those that were played
        together; all are then played again.
    """
    found = together(replicate, n_side_by_side)
    of_seeds = {tuple(games[each].played_with) for each in found if each in games}
    fits = found.stop <= most and all(len(seeds) == len(found) for seeds in of_seeds)
    return found if fits else range(replicate, replicate + 1)
