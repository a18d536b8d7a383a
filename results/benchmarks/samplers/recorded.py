"""The surface `recorded`: a smooth fit to real games of `mcmdp`, with their own noise.

The fit is a polynomial (:mod:`.ridge`), not a Gaussian process, so that no
sampler has the true model. √score is quadratic in the unit cube, plus each coordinate's cube; log₁₀
seconds is cubic. Left-out means are predicted with R² = 0.906, where their own noise allows 0.931,
and left-out log₁₀ seconds with R² = 0.981. Higher degrees predict no better.

At the cube's corners the polynomials stay within 6,000 to 63,000 points and 15 to 315 µs; recorded
were 12,000 to 70,000 points and 19 to 195 µs. The front does not touch the bounds of θ₁ and θ₅.
Scores are kept above 1,000 points, about those of random play, in case another recording needs it.

A game is one of the nearest recorded θ, drawn with replacement, its score divided by their mean.
"""

from pathlib import Path

import numpy as np

from results.benchmarks.samplers.recording import RECORDED, SCORES, SPACE, read_recorded
from results.benchmarks.samplers.ridge import Ridge
from results.benchmarks.samplers.surface import Floats, Surface

LEAST_ROOT = 1_000.0**0.5


class Recording:
    """Recorded games, and the fits to them: √mean score and log₁₀ seconds per move."""

    def __init__(self, path: Path = RECORDED) -> None:
        frame = read_recorded(path)
        rows = frame[list(SPACE.names)].to_dict("records")
        self.points = np.array([SPACE.to_unit({str(k): v for k, v in row.items()}) for row in rows])
        self.scores = [np.array(text.split(), np.float64) for text in frame[SCORES]]  # by θ
        self.means = np.array([each.mean() for each in self.scores])
        self.recorded_log_seconds = np.log10(frame["seconds_per_move"].to_numpy(np.float64))
        self.root_score = Ridge.fit(self.points, np.sqrt(self.means), 2, 3)
        self.log_seconds = Ridge.fit(self.points, self.recorded_log_seconds, 3, 3)

    def score(self, points: Floats) -> Floats:
        """Return true mean scores, shape (n,)."""
        return np.maximum(self.root_score(points), LEAST_ROOT) ** 2

    def seconds(self, points: Floats) -> Floats:
        """Return true seconds per move, shape (n,)."""
        return np.asarray(10.0 ** self.log_seconds(points))

    def factors(self, point: Floats, n: int, rng: np.random.Generator) -> Floats:
        """Draw games of the nearest recorded θ, over their mean."""
        nearest = int(np.argmin(np.sum((self.points - point) ** 2, axis=1)))
        return np.asarray(rng.choice(self.scores[nearest], n) / self.means[nearest])

    def quality(self) -> dict[str, float]:
        """Return R² of left-out observations, and the most that the means' noise allows."""
        sem2 = np.mean([each.var(ddof=1) / len(each) for each in self.scores])
        seconds, variance = self.recorded_log_seconds, self.means.var()
        missed = np.mean((self.root_score.left_out**2 - self.means) ** 2)
        missed_seconds = np.mean((self.log_seconds.left_out - seconds) ** 2)
        return {
            "r2_score": float(1.0 - missed / variance),
            "r2_score_ceiling": float(1.0 - sem2 / variance),
            "r2_log_seconds": float(1.0 - missed_seconds / seconds.var()),
        }


def recorded_surface() -> Surface:
    """Make the surface; InputError if the recorded games are not there."""
    games = Recording()
    functions = games.score, games.seconds, games.factors
    return Surface("recorded", "recorded games of mcmdp", SPACE, *functions)
