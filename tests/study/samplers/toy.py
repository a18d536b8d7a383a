"""Studies for the samplers' tests: degenerate ones, and a problem whose front is known."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState, create_trial

from thetafront.study.arrays import Floats
from thetafront.study.pareto import hypervolume
from thetafront.study.samplers.observations import Objectives, Observations, n_to_fit
from thetafront.study.scale import Scale
from thetafront.study.shrinkage import Moments, variances_of_means


def observations_of(points: Floats, values: Floats, variances: Floats) -> Observations:
    """Return observations of points in the unit cube, none pending."""
    return Observations(
        points=points,
        values=values,
        noise=variances,
        first_values=values[: n_to_fit(len(points))],
        first_noise=variances[: n_to_fit(len(points))],
        pending=points[:0],
        reference=np.array([-1000.0, -4.0]),
        owners=np.arange(points.shape[1]),
    )


MIXED: dict[str, BaseDistribution] = {
    "choice": CategoricalDistribution(["a", "b", None]),
    "step": IntDistribution(0, 20, step=5),
    "log": FloatDistribution(1e-3, 10.0, log=True),
    "single": IntDistribution(4, 4),
    "x": FloatDistribution(-1.0, 1.0),
}


def noise(trials: Sequence[FrozenTrial]) -> Floats:
    """Return the variances of the trials' mean scores; NaN for the second objective."""
    scores = [np.array(trial.user_attrs.get("scores", ()), np.float64) for trial in trials]
    variances = variances_of_means([Moments.from_sample(each) for each in scores])
    return np.stack([variances, np.full(len(trials), np.nan)], axis=1)


OBJECTIVES = Objectives(scales=(Scale.LINEAR, Scale.LOG), noise=noise)


def random_params(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "choice": ["a", "b", None][rng.integers(3)],
        "step": int(5 * rng.integers(5)),
        "log": float(10.0 ** rng.uniform(-3.0, 1.0)),
        "single": 4,
        "x": float(rng.uniform(-1.0, 1.0)),
    }


def finished(params: dict[str, Any], scores: Floats, seconds: float) -> FrozenTrial:
    return create_trial(
        values=[float(np.mean(scores)), seconds],
        params=params,
        distributions=MIXED,
        user_attrs={"scores": list(scores)},
    )


def unfinished(params: dict[str, Any], state: TrialState) -> FrozenTrial:
    return create_trial(state=state, params=params, distributions=MIXED)


def ordinary(rng: np.random.Generator, n: int = 12) -> list[FrozenTrial]:
    """Trials without any peculiarity."""
    trials = []
    for params in [random_params(rng) for _ in range(n)]:
        score = params["step"] / 5 - 2 * params["x"] ** 2 + (params["choice"] == "a")
        scores = score + rng.standard_normal(5)
        trials.append(finished(params, scores, 0.01 * (1 + params["step"]) * params["log"] ** 0.3))
    return trials


def failed(rng: np.random.Generator) -> list[FrozenTrial]:
    return [unfinished(random_params(rng), TrialState.FAIL) for _ in range(5)]


def zombies(rng: np.random.Generator) -> list[FrozenTrial]:
    return [unfinished(random_params(rng), TrialState.RUNNING) for _ in range(250)]


def some(
    rng: np.random.Generator,
    n: int = 9,
    score: float | None = None,
    seconds: float | None = None,
    params: dict[str, Any] | None = None,
) -> list[FrozenTrial]:
    """Trials that have the same score, or time, or params, if one is given."""
    return [
        finished(
            random_params(rng) if params is None else params,
            rng.standard_normal(3) if score is None else np.full(3, score),
            float(rng.uniform(1.0, 2.0)) if seconds is None else seconds,
        )
        for _ in range(n)
    ]


def different_n(rng: np.random.Generator) -> list[FrozenTrial]:
    sizes = [1, 2, 50, 1, 9, 3]
    return [finished(random_params(rng), rng.standard_normal(n), 1.0 + n) for n in sizes]


DEGENERATE: dict[str, Callable[[np.random.Generator], list[FrozenTrial]]] = {
    "no trial": lambda rng: [],
    "failed ones alone": failed,
    "failed ones too": lambda rng: failed(rng) + ordinary(rng) + failed(rng),
    "nothing finished yet": zombies,
    "zombies": lambda rng: ordinary(rng) + zombies(rng),
    "different numbers of games": different_n,
    "one game each": lambda rng: [
        finished(random_params(rng), rng.standard_normal(1), 1.0 + k) for k in range(5)
    ],
    "duplicates": lambda rng: [each for each in ordinary(rng, 6) for _ in range(4)],
    "one trial": lambda rng: some(rng, 1),
    "one point": lambda rng: some(rng, 6, params=random_params(rng)),
    "constant score": lambda rng: some(rng, score=5.0),
    "constant seconds": lambda rng: some(rng, seconds=1e-3),
    "both constant": lambda rng: some(rng, score=0.0, seconds=1.0),
    "both constant, and large": lambda rng: some(rng, score=1e12, seconds=1e9),
    "infinite and negative times": lambda rng: [
        *ordinary(rng, 4),
        finished(random_params(rng), np.array([np.inf]), 1.0),
        finished(random_params(rng), np.ones(3), -1.0),
    ],
}


def mixed_study(sampler: BaseSampler, trials: Sequence[FrozenTrial]) -> optuna.Study:
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
    study.add_trials(trials)
    return study


def ask(study: optuna.Study, n: int = 2) -> list[optuna.Trial]:
    """Ask for trials, none of which is told; all values are checked against the space."""
    trials = [study.ask(MIXED) for _ in range(n)]
    for trial in trials:
        assert set(trial.params) == set(MIXED)
        for name, each in MIXED.items():
            assert each._contains(each.to_internal_repr(trial.params[name]))
            # Otherwise optuna has rejected the proposal, and drawn another at random.
            if name in trial.relative_params:
                assert trial.params[name] == trial.relative_params[name]
    return trials


# A problem with a known front (ZDT1, with fewer coordinates), both objectives noisy.
UNIT: dict[str, BaseDistribution] = {f"x{k}": FloatDistribution(0.0, 1.0) for k in range(4)}
NOISE = 0.05
REFERENCE = (1.1, 1.1)
TOY_OBJECTIVES = Objectives(
    reference_point=REFERENCE, noise=lambda trials: np.full((len(trials), 2), NOISE**2)
)


def truth(params: dict[str, Any]) -> tuple[float, float]:
    """Return both objectives, to be minimized; the front is x1 = x2 = x3 = 0."""
    first, *others = (params[name] for name in UNIT)
    g = 1.0 + 3.0 * float(np.mean(others))
    return first, g * (1.0 - float(np.sqrt(first / g)))


def searched(
    sampler: BaseSampler,
    seed: int,
    values: Callable[[dict[str, Any], np.random.Generator], tuple[float, float]],
    *,
    n_random: int,
    n_trials: int,
    space: Mapping[str, BaseDistribution] = UNIT,
    directions: Sequence[str] = ("maximize", "minimize"),
) -> optuna.Study:
    """Return a study whose first trials are random, and whose others a sampler proposes."""
    study = optuna.create_study(
        directions=directions, sampler=optuna.samplers.RandomSampler(seed=seed)
    )
    rng = np.random.default_rng(seed)
    for number in range(n_trials):
        if number == n_random:
            study.sampler = sampler
        trial = study.ask(dict(space))
        study.tell(trial, values(trial.params, rng))
        # Otherwise optuna has rejected the proposal, and drawn another at random.
        assert not trial.relative_params or trial.relative_params == trial.params
    return study


def true_hypervolume(sampler: BaseSampler, seed: int, n_random: int, n_trials: int) -> float:
    """Return the true hypervolume of a noisy study's trials."""

    def noisy(params: dict[str, Any], rng: np.random.Generator) -> tuple[float, float]:
        first, second = np.array(truth(params)) + NOISE * rng.standard_normal(2)
        return first, second

    given = {"n_random": n_random, "n_trials": n_trials, "directions": ("minimize", "minimize")}
    study = searched(sampler, seed, noisy, **given)  # type: ignore[arg-type]
    found = np.array([truth(trial.params) for trial in study.trials])
    # Along the second objective the project's hypervolume is logarithmic.
    return hypervolume(-found[:, 0], 10.0 ** found[:, 1], -REFERENCE[0], 10.0 ** REFERENCE[1])
