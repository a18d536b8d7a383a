"""The agent that learns first: what it plays by is a function of its parameters."""

from pathlib import Path

import pytest

from thetafront.agents.agent import digits, identity
from thetafront.agents.twenty48.ntuple.learned import learned_file, learned_now, learned_weights
from thetafront.agents.twenty48.ntuple.learner import NTupleLearner
from thetafront.agents.twenty48.ntuple.patterns import turned_tables
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings

SETTINGS = {"patterns": "4x5", "training_moves": 20_000, "training_seed": 3}


@pytest.fixture(autouse=True)
def networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("THETAFRONT_NETWORKS", str(tmp_path))
    learned_weights.cache_clear()
    return tmp_path


def test_the_same_settings_give_the_same_weights_in_every_version() -> None:
    """If this fails, raise VERSION: networks on disk and games of studies are of other weights."""

    def learned(*settings: object, **more: object) -> str:
        training = TrainingSettings(*settings, seed=3, **more)  # type: ignore[arg-type]
        weights = turned_tables(training.patterns.played, learned_now(training, 20_000))
        return digits(weights.data)  # as in files

    assert learned("4x5", restart=0) == "c5f9471b8b76"
    assert learned("4x5", "td", 0.1, 0.5, 0, 100.0) == "20149062bf5a"
    assert learned("4x5+", restart=100) == "bf5fdc773f00"


def test_what_it_learns_with_is_its_identity() -> None:
    agent = NTupleLearner(**SETTINGS)  # type: ignore[arg-type]
    assert {key: identity(agent)[key] for key in SETTINGS} == SETTINGS
    digests = {
        NTupleLearner(**{**SETTINGS, **each}).training.digest  # type: ignore[arg-type]
        for each in (
            {},
            {"patterns": "6x5"},
            {"method": "td"},
            {"rate": 0.5},
            {"decay": 0.3},
            {"restart": 0},
            {"optimism": 100.0},
            {"training_seed": 4},
        )
    }
    assert len(digests) == 8
    assert NTupleLearner(**SETTINGS, depth=2).training.digest in digests  # type: ignore[arg-type]


def test_a_damaged_file_is_refused() -> None:
    agent = NTupleLearner(**SETTINGS)  # type: ignore[arg-type]
    path = learned_file(agent.training, agent.training_moves)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PK\x03\x04 half")
    with pytest.raises(ValueError, match=r"^network: .*moves-20000.npz cannot be read .*delete it"):
        agent.play(1)
