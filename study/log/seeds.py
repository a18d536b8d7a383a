"""Seeds of a study's games, and the conversion of games to and from JSON data.

The games of a study with seed S have the million seeds from 1,000,000·S on. The first 500,000 seeds
are for the search, and the others for validation. So a θ that was chosen for its results in some
games is never judged by the same games. A seed is enough to play its game again (``thetafront play
AGENT --theta … --seed …``).

=====================================  =============================================
replicate r of                         seed minus 1,000,000·S
=====================================  =============================================
trial t                                (1,000·t + 50·⌊t / 500⌋ + r) mod 500,000
the p-th point to be validated         500,000 + (20,000·p + 1,000·⌊p / 25⌋ + r) mod 500,000
=====================================  =============================================

No two trials share a seed if there are at most 500 trials of 1,000 games, or 10,000 trials of 50
games. No two points share a seed if there are at most 25 points of 20,000 games, or 500 points of
1,000 games. With more trials, points or games, some seeds are shared.

The model and the intervals of a front assume that all games are independent. Games on the same seed
are not independent if their agents play much alike. For two neighbouring θ of ``pacman_mdp``, wins
on the same 1,000 seeds had a correlation of 0.99 (other pairs: 0.05 to 0.34). An earlier search
played all trials on the same ten seeds, and so chose θ that were lucky on these ten. For ``mcmdp``,
shared seeds make no difference (correlation −0.004 on 1,000 seeds).
"""

from collections.abc import Mapping
from typing import Any

from thetafront.agents.agent import MAX_SEED, FailedGame, Game, Outcome
from thetafront.agents.external.report import ReportedGame

MAX_REPLICATES = 500_000
GAMES_A_STUDY_SEED = 1_000_000
FIRST_VALIDATION_REPLICATE = MAX_REPLICATES
SEEDS_A_TRIAL, SHIFT_OF_TRIALS = 1_000, 50
SEEDS_A_POINT, SHIFT_OF_POINTS = 20_000, 1_000
MAX_STUDY_SEED = 2**31 - 1
KIND = "game"
UNNAMED_KIND = "2048"  # in the earliest studies, when 2048 was the only game
MAX_NUMBER = 2**53  # of any field except the seed; floats represent integers exactly up to here


def game_seed(study_seed: int, number: int) -> int:
    """Return the seed of a game from its number in the study."""
    return study_seed * GAMES_A_STUDY_SEED + number


def search_seed(study_seed: int, trial: int, replicate: int) -> int:
    """Return the seed of a trial's replicate."""
    return game_seed(study_seed, within(trial, SEEDS_A_TRIAL, SHIFT_OF_TRIALS, replicate))


def validation_seed(study_seed: int, point: int, replicate: int) -> int:
    """Return the seed of a replicate of the p-th validated point."""
    number = within(point, SEEDS_A_POINT, SHIFT_OF_POINTS, replicate)
    return game_seed(study_seed, FIRST_VALIDATION_REPLICATE + number)


def within(index: int, width: int, shift: int, replicate: int) -> int:
    """Return the offset of a replicate's seed in its half of the study's seeds.

    Each trial or point, numbered by ``index``, takes ``width`` seeds. When the half is used up, the
    next trials or points begin at the start of the half again, shifted by ``shift``.
    """
    n_rounds = index * width // MAX_REPLICATES
    return (index * width + n_rounds * shift + replicate) % MAX_REPLICATES


def parse_replicate(text: str) -> int:
    """Read a replicate's number from the end of a name; ValueError if it is invalid."""
    if not (text.isdecimal() and text == str(number := int(text)) and number < MAX_REPLICATES):
        raise ValueError(f"must be a replicate number (got {shortened(text)})")
    return number


def game_to_record(game: Outcome) -> dict[str, Any]:
    """Return a game as plain JSON data, with the name of its kind."""
    return {KIND: game.kind, **game.to_row()}


def record_to_outcome(record: Any, kind: type[Game] = Game) -> Outcome:
    """Return the game, ended or failed, from the record that :func:`game_to_record` made of it.

    The stored record may be damaged. ValueError if it is not that of a game of class ``kind``, or
    if no game can have its values. Only games of users' agents can fail.
    """
    if not isinstance(record, Mapping):
        raise ValueError(f"must be a game's record (got {shortened(record)})")
    name = record.get(KIND, UNNAMED_KIND)
    if name == FailedGame.kind and issubclass(ReportedGame, kind):
        seed, error = record.get("seed"), record.get("error")
        if type(seed) is not int or not 0 <= seed <= MAX_SEED or not isinstance(error, str):
            raise ValueError(f"must be a failed game's seed and error (got {shortened(record)})")
        return FailedGame(seed, error)
    if name not in Game.kinds or not issubclass(Game.kinds[name], kind):
        kinds = [each for each, found in Game.kinds.items() if issubclass(found, kind)]
        raise ValueError(f"must be a game of {', '.join(kinds)} (got {name!r})")
    row = {key: value for key, value in record.items() if key != KIND}
    game = Game.kinds[name].from_row(row)
    if game.to_row() != row or not is_countable(row):
        raise ValueError(f"no {name} game can have these values")
    return game


def is_countable(row: Mapping[str, Any]) -> bool:
    """Return whether a game's numbers are in the range that tables and models can use."""
    figures = [value for name, value in row.items() if name != "seed"]
    numbers = [each for each in figures if isinstance(each, int | float)]
    in_range = all(abs(each) <= MAX_NUMBER for each in numbers)
    is_seed = 0 <= row["seed"] <= MAX_SEED
    return in_range and is_seed and row["n_moves"] >= 1 and row["seconds"] >= 0


def shortened(value: Any, width: int = 40) -> str:
    """Return a stored value's text for a message, cut to ``width`` characters."""
    text = repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"
