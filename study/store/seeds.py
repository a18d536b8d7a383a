"""Seeds of a study's games, and a game as JSON data.

The games of the study with seed S have seeds from 1,000,000·S on: below 500,000 those of the
search, from there on those of validation, so that no game that chose a θ also judges it. A seed is
enough to play its game again (``thetafront play AGENT --theta … --seed …``).

=====================================  =============================================
replicate r of                         seed less 1,000,000·S
=====================================  =============================================
trial t                                (1,000·t + 50·⌊t / 500⌋ + r) mod 500,000
the p-th point to be validated         500,000 + (20,000·p + 1,000·⌊p / 25⌋ + r) mod 500,000
=====================================  =============================================

So each trial and each point has seeds of its own: 500 trials of 1,000 games (10,000 of 50), and 25
points of 20,000 (500 of 1,000); beyond that, some are shared. The model takes the games of all
trials to be independent, and so do the intervals of a front. On shared seeds they are not, if
agents play much alike: for two neighbouring θ of ``pacman_mdp``, wins on the same 1,000 seeds
correlated by 0.99 (for other pairs by 0.05 to 0.34), and the search chose what was good on ten
seeds. For ``mcmdp`` it makes no difference (−0.004, 1,000 seeds).
"""

from collections.abc import Mapping
from typing import Any

from agents.agent import Game

MOST_REPLICATES = 500_000
GAMES_A_STUDY_SEED = 1_000_000
FIRST_VALIDATION_REPLICATE = MOST_REPLICATES
SEEDS_A_TRIAL, SHIFT_OF_TRIALS = 1_000, 50
SEEDS_A_POINT, SHIFT_OF_POINTS = 20_000, 1_000
LARGEST_STUDY_SEED = 2**31 - 1
KIND = "game"
UNNAMED_KIND = "2048"  # in studies older than the other games


def game_seed(study_seed: int, number: int) -> int:
    """Return a study's seed with this number."""
    return study_seed * GAMES_A_STUDY_SEED + number


def search_seed(study_seed: int, trial: int, replicate: int) -> int:
    """Return the seed of a trial's replicate."""
    return game_seed(study_seed, within(trial, SEEDS_A_TRIAL, SHIFT_OF_TRIALS, replicate))


def validation_seed(study_seed: int, point: int, replicate: int) -> int:
    """Return the seed of a replicate of the p-th validated point."""
    number = within(point, SEEDS_A_POINT, SHIFT_OF_POINTS, replicate)
    return game_seed(study_seed, FIRST_VALIDATION_REPLICATE + number)


def within(index: int, width: int, shift: int, replicate: int) -> int:
    """Return a replicate's number in its half of the seeds; each round of indices is shifted."""
    n_rounds = index * width // MOST_REPLICATES
    return (index * width + n_rounds * shift + replicate) % MOST_REPLICATES


def game_to_record(game: Game) -> dict[str, Any]:
    """Return a game as plain JSON data, with the name of its kind."""
    return {KIND: game.kind, **game.to_row()}


def record_to_game(record: Mapping[str, Any]) -> Game:
    """Read back what :func:`game_to_record` wrote.

    Raises
    ------
    ValueError
        If no class of games of that kind is known in this process.
    """
    kind = record.get(KIND, UNNAMED_KIND)
    if kind not in Game.kinds:
        raise ValueError(f"record: a game of {kind!r} given, of {', '.join(Game.kinds)} allowed")
    return Game.kinds[kind].from_row({k: v for k, v in record.items() if k != KIND})
