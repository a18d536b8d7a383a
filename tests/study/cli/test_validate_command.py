"""The command `validate`: a study is not validated by an experiment that has become another."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.study.program import refused, succeeded
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space

pytestmark = pytest.mark.usefixtures("no_pictures")

WORDS = ["--validation-games", "4", "--validation-points", "2", "--jobs", "1"]


def test_a_changed_search_space_is_refused(
    coin: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what it was made with, in one line, before any game; a new symbol is no change."""
    sweep = ["sweep", "coin", "--trials", "2", "--design-size", "2", "--jobs", "1"]
    succeeded(tmp_path, *sweep, "--no-validation")

    wider = Space((NumericParameter("effort", 1, 200, integer=True, log=True, symbol="e"),))
    for changed, difference in (
        (replace(coin, space=wider), "another search space (effort 1 to 100)"),
        (replace(coin, fixed={"bias": 0.1}), "fixed {}, not {'bias': 0.1}"),
    ):
        monkeypatch.setitem(EXPERIMENTS, "coin", changed)
        assert refused("validate", "coin", *WORDS, "--results", str(tmp_path)) == (
            f"thetafront: study: 'coin' was made with {difference}; 'coin' has changed since\n"
        )
        monkeypatch.setitem(EXPERIMENTS, "coin", coin)
        assert "0 in validation" in succeeded(tmp_path, "status", "coin")

    renamed = Space((NumericParameter("effort", 1, 100, integer=True, log=True, symbol="effort"),))
    monkeypatch.setitem(EXPERIMENTS, "coin", replace(coin, space=renamed))
    succeeded(tmp_path, "validate", "coin", *WORDS)
