"""BoTorch's noisy expected hypervolume improvement as an optuna sampler: a yardstick for our own.

The model is BoTorch's default Gaussian process, one an objective, with the known noise variances;
an objective without them has one that is inferred. The acquisition function is qLogNEHVI, which
takes trials in flight into account.

torch and botorch are not among the project's requirements: only the sampler named ``botorch``
imports this module.

Sources: Balandat et al., *BoTorch: a framework for efficient Monte-Carlo Bayesian optimization*
(2020); Daulton, Balandat and Bakshy, *Parallel Bayesian optimization of multiple noisy objectives
with expected hypervolume improvement* (2021); Ament et al., *Unexpected improvements to expected
improvement for Bayesian optimization* (2023).
"""

import warnings
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.exceptions.warnings import BotorchWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from gpytorch.mlls import SumMarginalLogLikelihood
from linear_operator.utils.warnings import NumericalWarning

from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.hyperparameters import centre_and_scale
from thetafront.study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]

# BoTorch's own tutorials take 128, 10 and 512.
N_DRAWS = 64
N_RESTARTS = 4
N_RAW = 256
LEAST_NOISE = 1e-6  # of standardized values; with less, BoTorch's Cholesky factors may fail
MAX_PENDING = 64  # each slows the acquisition function; more are left from killed runs


def tensor(values: Floats) -> torch.Tensor:
    """Copy an array to torch, in double precision."""
    return torch.tensor(values, dtype=torch.float64)


def standardized(observations: Observations) -> Observations:
    """Centre and scale both objectives, their noise and the reference to variance 1."""
    centre, scale = centre_and_scale(observations.values)
    return replace(
        observations,
        values=(observations.values - centre) / scale,
        noise=observations.noise / scale**2,
        reference=(observations.reference - centre) / scale,
    )


def known_noise(noise: Floats) -> Floats | None:
    """Return one standardized objective's noise variances; None if they are to be inferred.

    An unknown variance among known ones becomes their mean: BoTorch infers the noise of all values
    or of none.
    """
    missing = np.isnan(noise)
    if np.all(missing):
        return None
    return np.maximum(np.where(missing, np.mean(noise[~missing]), noise), LEAST_NOISE)


def fitted(observations: Observations) -> ModelListGP:
    """Return a fitted Gaussian process for each standardized objective."""
    points = tensor(observations.points)
    models = []
    for k in range(2):
        variances = known_noise(observations.noise[:, k])
        models.append(
            SingleTaskGP(
                points,
                tensor(observations.values[:, [k]]),
                None if variances is None else tensor(variances)[:, None],
                outcome_transform=None,  # standardized() has done it
            )
        )
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


class BoTorchSampler(ModelSampler):
    """Proposes the point of BoTorch's largest qLogNEHVI.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the point of the largest acquisition value, snapped to the space."""
        seed = int(rng.integers(2**31))
        observations = standardized(observations)
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            # BoTorch warns of few or constant observations.
            for category in (BotorchWarning, NumericalWarning, RuntimeWarning):
                warnings.simplefilter("ignore", category)
            torch.manual_seed(seed)
            pending = observations.pending[-MAX_PENDING:]
            acquisition = qLogNoisyExpectedHypervolumeImprovement(
                model=fitted(observations),
                ref_point=tensor(observations.reference),
                X_baseline=tensor(np.unique(observations.points, axis=0)),
                X_pending=tensor(np.unique(pending, axis=0)) if len(pending) else None,
                sampler=SobolQMCNormalSampler(torch.Size([N_DRAWS]), seed=seed),
                prune_baseline=True,
            )
            bounds = torch.tensor([[0.0], [1.0]], dtype=torch.float64).repeat(1, cube.n_coordinates)
            best, _ = optimize_acqf(
                acquisition,
                bounds=bounds,
                q=1,
                num_restarts=N_RESTARTS,
                raw_samples=N_RAW,
                options={"seed": seed, "maxiter": 100},
            )
        return np.asarray(cube.snap(best.detach().numpy())[0])
