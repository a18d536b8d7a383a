"""Every experiment of the registry, whatever it is: :mod:`tests.study.experiments.conformance`."""

from pathlib import Path

import pytest

from tests.study.experiments.conformance import check_baselines, check_corners, check_sweep
from thetafront.study.experiments.registry import EXPERIMENTS

each_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


LEARNS = "ntuple"  # each corner trains a network: `make test-slow` does


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.slow] * (each == LEARNS)) for each in EXPERIMENTS],
)
def test_corners_build_and_play(name: str) -> None:
    check_corners(name)


@each_experiment
def test_baselines_are_in_the_space(name: str) -> None:
    check_baselines(name)


@pytest.mark.sweeps
@each_experiment
def test_a_sweep_stops_and_resumes(name: str, tmp_path: Path) -> None:
    check_sweep(name, tmp_path)
