"""BoTorch's sampler, where BoTorch is installed."""

import numpy as np
import pytest
from optuna.samplers import RandomSampler

from tests.study.samplers.toy import (
    DEGENERATE,
    MIXED,
    OBJECTIVES,
    TOY_OBJECTIVES,
    ask,
    mixed_study,
    ordinary,
    true_hypervolume,
)

pytest.importorskip("botorch")

from results.benchmarks.samplers.botorch import BoTorchSampler, known_noise


def test_noise_that_is_known() -> None:
    assert known_noise(np.full(3, np.nan)) is None
    known, floor = known_noise(np.array([0.5, np.nan, 1.5])), known_noise(np.zeros(3))
    assert known is not None
    assert floor is not None
    np.testing.assert_array_equal(known, [0.5, 1.0, 1.5])
    assert np.all((floor > 0.0) & (floor < 1e-4))


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_studies(name: str) -> None:
    trials = DEGENERATE[name](np.random.default_rng(2))
    ask(mixed_study(BoTorchSampler(0, OBJECTIVES, 1), trials), 1)


def test_the_seed_decides() -> None:
    import torch

    def proposals(seed: int) -> list[dict[str, object]]:
        trials = ordinary(np.random.default_rng(1))
        asked = ask(mixed_study(BoTorchSampler(seed, OBJECTIVES), trials), 2)
        assert set(asked[0].relative_params) == set(MIXED) - {"single"}
        return [trial.params for trial in asked]

    torch.manual_seed(1)
    first = proposals(0)
    torch.manual_seed(2)
    state = torch.random.get_rng_state()
    assert proposals(0) == first
    assert torch.equal(torch.random.get_rng_state(), state), "torch's own numbers are left alone"
    assert proposals(1) != first
    assert first[0] != first[1]


def test_it_finds_a_noisy_front() -> None:
    ours = true_hypervolume(BoTorchSampler(0, TOY_OBJECTIVES), 0, 16, 26)
    assert ours > true_hypervolume(RandomSampler(), 0, 40, 40) + 0.1
