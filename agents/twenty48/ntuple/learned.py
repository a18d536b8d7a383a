"""Networks identified by their settings of learning and their number of training moves.

The settings and this number determine every bit of such a network. So the file of a network only
saves time: if there is no file, the network is learned again. If training diverges, an untrained
network is used instead.
"""

from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from thetafront.agents.twenty48.ntuple.learning import (
    Carousel,
    WorkSpace,
    learn,
    new_carousel,
    work_space,
)
from thetafront.agents.twenty48.ntuple.network import MAX_IN_MEMORY, networks_folder
from thetafront.agents.twenty48.ntuple.patterns import (
    NETWORKS,
    Weights,
    n_looked_up,
    turned_indices,
    without_parts,
)
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.engine.twenty48.rows import row_tables

FOLDER = ".learned"
UNREADABLE = (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, BadZipFile)
UNLIMITED = 1 << 62


def learned_folder() -> Path:
    """Return the folder of all networks that are identified by their settings."""
    return networks_folder() / FOLDER


def learned_file(settings: TrainingSettings, n_moves: int) -> Path:
    """Return the path of a network's file."""
    return learned_folder() / settings.digest / f"moves-{n_moves}.npz"


@lru_cache(maxsize=MAX_IN_MEMORY)
def learned_weights(settings: TrainingSettings, n_moves: int) -> Weights:
    """Return a network's weights for playing, read from its file or learned, once per process.

    ValueError if the file exists but cannot be read.
    """
    path = learned_file(settings, n_moves)
    weights = settings.new_weights()
    try:
        with np.load(path, allow_pickle=False) as saved:
            weights[turned_indices(settings.patterns, saved["indices"])] = saved["weights"]
    except FileNotFoundError:
        return learned_now(settings, n_moves)
    except UNREADABLE as error:
        raise ValueError(f"network: {path} cannot be read ({error}); delete it") from None
    return without_parts(settings.patterns, weights)


def learned_now(settings: TrainingSettings, n_moves: int) -> Weights:
    """Learn until the end of the game that reaches ``n_moves`` moves in total.

    Return the weights for playing.
    """
    weights = settings.new_weights()
    if learn_alone(settings, weights, n_moves) < n_moves or not np.isfinite(weights).all():
        weights = settings.new_weights()
    return without_parts(settings.patterns, weights)


def learn_alone(settings: TrainingSettings, weights: Weights, n_moves: int) -> int:
    """Learn from the first game on, in this thread; return the number of moves.

    The number is below ``n_moves`` if training diverges. With ``n_moves`` of 0, the call only
    compiles the kernel.
    """
    space = work_space(n_looked_up(settings.patterns))
    coherence, carousel = settings.new_coherence(), new_carousel(settings.stages)
    return learn_games(settings, weights, coherence, carousel, space, 0, UNLIMITED, n_moves)[1]


def learn_games(
    settings: TrainingSettings,
    weights: Weights,
    coherence: Weights,
    carousel: Carousel,
    space: WorkSpace,
    first_game: int,
    n_games: int,
    max_moves: int,
) -> tuple[int, int, int, float]:
    """Learn from games with these settings: see :func:`~agents.twenty48.ntuple.learning.learn`."""
    return learn(
        NETWORKS[settings.patterns](weights),
        coherence,
        row_tables(),
        np.uint64(settings.seed),
        first_game,
        n_games,
        max_moves,
        settings.rate,
        settings.decay,
        settings.restart,
        settings.is_coherent,
        space,
        carousel,
    )
