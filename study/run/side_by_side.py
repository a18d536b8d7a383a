"""Which of a point's games are played side by side.

Some agents play faster if they play K games side by side in one process
(:attr:`agents.agent.Agent.n_side_by_side`). They play the games of a point in blocks. In a block,
N_ALONE = 3 games are played alone and give the cost. Then N_TOGETHER = 2 groups of K games are
played, each group side by side. So with K = 8, 3 of the 19 games of a block are timed; all 19 count
for the score.

Which games are played together depends on a game's number, on the games already stored and on how
many games are asked for. It does not depend on timing or the number of workers. The record of a
game names the games that were played with it, so that all can be played again.
"""

from collections.abc import Mapping

from thetafront.agents.agent import Game

N_ALONE = 3
N_TOGETHER = 2
EXPECTED_SHARE = 0.65
"""Mean seconds of a game in a block, divided by those of a game alone, as expected in plans.

The speed of ``mcmdp`` was measured in random moves per CPU second (medians of seven rounds of
``make bench``, with AVX-512). The speed of eight games side by side, divided by that of one game,
was 1.36 at the author's θ and 2.20 at a cheap point of the front. For the games of a whole block,
this gives relative times of 0.78 and 0.54.
"""


def expected_share(n_side_by_side: int) -> float:
    """Return the expected time of a validation game, divided by the time of a game alone."""
    return 1.0 if n_side_by_side == 1 else EXPECTED_SHARE


def together(replicate: int, n_side_by_side: int) -> range:
    """Return the replicates that are played together with ``replicate``, which is one of them.

    ``replicate`` is the number of a game of a point, starting at 0; ``n_side_by_side`` is K, 1 or
    more.
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
    """Return the replicates to play together with ``replicate``, a missing one.

    It is played alone if other games of its group were played alone, or if the group does not fit
    into ``most``, the maximum number of games of the point. ``games`` are the point's games so far,
    by replicate. If a kill has left only some of the games that were played together, all of them
    are played again.
    """
    found = together(replicate, n_side_by_side)
    of_seeds = {tuple(games[each].played_with) for each in found if each in games}
    fits = found.stop <= most and all(len(seeds) == len(found) for seeds in of_seeds)
    return found if fits else range(replicate, replicate + 1)
