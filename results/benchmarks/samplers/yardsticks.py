"""Two other authors' methods with Optuna's interface, for comparison only.

- ``SMAC``: ParEGO with SMAC3's random forests. It gets the trials' means on the model's scales, but
  not their noise, which SMAC3 cannot use.
- ``HypervolumeKnowledgeGradient``: BoTorch's qHVKG with two of its Gaussian processes and the known
  noise of each trial.

Both need ``pip install smac botorch``. Neither is part of the package.

Sources: Lindauer et al. (2022), *SMAC3: a versatile Bayesian optimization package for
hyperparameter optimization*; Knowles (2006), *ParEGO*; Daulton, Balandat and Bakshy (2023),
*Hypervolume knowledge gradient: a lookahead approach for multi-objective Bayesian optimization with
partial information*.
"""

import logging
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from botorch.acquisition.multi_objective.hypervolume_knowledge_gradient import (
    qHypervolumeKnowledgeGradient,
)
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.optim import optimize_acqf
from ConfigSpace import ConfigurationSpace, Float
from gpytorch.mlls import SumMarginalLogLikelihood
from smac import HyperparameterOptimizationFacade, Scenario
from smac.multi_objective import ParEGO
from smac.runhistory import TrialInfo, TrialValue

from thetafront.study.arrays import Floats
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Observations

logging.getLogger("smac").setLevel(logging.ERROR)  # it warns of the missing initial design

NAMES = ("score", "cost")
MIN_NOISE = 1e-6  # of standardized values; with less, BoTorch's Cholesky factors may fail
# BoTorch's tutorial has the same numbers of fantasies, points of a front, and restarts.
N_FANTASIES, N_FRONT, N_RESTARTS, N_RAW = 8, 10, 1, 512


class SMAC(ModelSampler):
    """Proposes the θ of SMAC3; with the same seed and trials, the proposal is the same."""

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Tell SMAC3 all trials, and ask it for the next θ."""
        seed = int(rng.integers(2**31))
        space = ConfigurationSpace(seed=seed)
        axes = [f"x{k:02d}" for k in range(cube.n_coordinates)]
        space.add([Float(axis, (0.0, 1.0)) for axis in axes])
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scenario = Scenario(
                space,
                objectives=list(NAMES),
                deterministic=True,
                n_trials=len(observations.points) + 1,
                output_directory=Path(folder),
                seed=seed,
            )
            made = HyperparameterOptimizationFacade
            smac = made(
                scenario,
                lambda config, seed=0: dict.fromkeys(NAMES, 0.0),  # it is asked, not run
                initial_design=made.get_initial_design(scenario, n_configs=0),
                multi_objective_algorithm=ParEGO(scenario),
                logging_level=False,
                overwrite=True,
            )
            for point, values in zip(observations.points, observations.values, strict=True):
                config = space.get_default_configuration()
                for axis, x in zip(axes, point, strict=True):
                    config[axis] = float(x)
                smac.tell(TrialInfo(config, seed=0), TrialValue(cost=(-values).tolist()))
            asked = smac.ask().config
        return np.array([asked[axis] for axis in axes])


def fitted(points: torch.Tensor, values: Floats, noise: Floats) -> ModelListGP:
    """Fit a Gaussian process to each objective; an objective without noise infers its own."""
    models = []
    for k in range(2):
        known = noise[:, k]
        variances = None
        if not np.all(np.isnan(known)):
            filled = np.where(np.isnan(known), np.nanmean(known), known)
            variances = torch.tensor(np.maximum(filled, MIN_NOISE))[:, None]
        models.append(SingleTaskGP(points, torch.tensor(values[:, [k]]), variances))
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


class HypervolumeKnowledgeGradient(ModelSampler):
    """Proposes the θ with BoTorch's largest hypervolume knowledge gradient."""

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the point with the largest acquisition value."""
        centre, scale = observations.values.mean(axis=0), observations.values.std(axis=0)
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(int(rng.integers(2**31)))
            model = fitted(
                torch.tensor(observations.points),
                (observations.values - centre) / scale,
                observations.noise / scale**2,
            )
            acquisition = qHypervolumeKnowledgeGradient(
                model,
                ref_point=torch.tensor((observations.reference - centre) / scale),
                num_fantasies=N_FANTASIES,
                num_pareto=N_FRONT,
            )
            bounds = torch.tensor([[0.0], [1.0]], dtype=torch.float64).repeat(1, cube.n_coordinates)
            best, _ = optimize_acqf(
                acquisition,
                bounds=bounds,
                q=1,
                num_restarts=N_RESTARTS,
                raw_samples=N_RAW,
                options={"batch_limit": 5, "maxiter": 200},
            )
        return np.asarray(cube.snap(best.detach().numpy())[0])
