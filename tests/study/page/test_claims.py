"""What a page says in sentences is what the study's tables and models have."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.charts.comparison import signed
from thetafront.study.charts.sobol import importance_of
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import SCORE, WIN_RATE
from thetafront.study.log.location import Location
from thetafront.study.page.claims import Check, checked, claims, difference, what_matters
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.recommend import Wish
from thetafront.study.samplers.fitted_model import FittedModel

pytestmark = pytest.mark.usefixtures("one_thread")


def texts(page: Analysis) -> dict[str, str]:
    return {each.about: each.text for each in claims(page)[0]}


def test_the_best_within_budgets_are_picks(mcmdp: tuple[Location, Analysis]) -> None:
    data = mcmdp[1].data
    said = {about: text for about, text in texts(mcmdp[1]).items() if about.startswith("Within")}
    assert len(said) == 3
    for about, text in said.items():
        value, unit = re.match(r"Within ([\d.]+) (\S+) a move", about).groups()  # type: ignore[union-attr]
        assert unit == "µs"
        wish = Wish(data.experiment, float(value) * 1e-6)
        chosen = mcmdp[1].to_pick_from().pick(wish).chosen
        assert text.startswith(f"The best θ with games is number {chosen.number} (θ₁ ")
        score = chosen.expected.score
        assert SCORE.format.interval_with_unit(score.value, score.low, score.high) in text
        assert f"given 6,396 games, {len(chosen.point.games):,} of them of this θ" in text


@dataclass(frozen=True)
class Truth:
    """Studies whose truth is drawn from a model: its covariance at some θ, and noise of games."""

    model: FittedModel
    thetas: list[dict[str, Any]]
    variances: npt.NDArray[np.float64]

    @classmethod
    def of(cls, page: Analysis) -> "Truth":
        """Take the validated points of a study."""
        assert page.model is not None
        front = page.tables["front"]
        names = page.data.experiment.space.names
        thetas = [{name: row[name] for name in names} for row in front.to_dict("records")]
        half = (front["score_high95_points"] - front["score_low95_points"]) / 2
        return cls(page.model, thetas, (half.to_numpy() / 1.96) ** 2)

    def checks(self, n: int, shift: float = 0.0) -> list[Check]:
        """Draw truths by a Cholesky factor of the covariance, play games, and check the model."""
        process = self.model.posterior.processes[0]
        codes = self.model.cube.encode(self.thetas)
        mean = process.mean(codes)
        factor = np.linalg.cholesky(process.covariance(codes) + 1e-9 * np.eye(len(mean)))
        rng = np.random.default_rng(5)
        found = []
        for _ in range(n):
            truth = (mean + factor @ rng.standard_normal(len(mean))) ** 2  # the scale is √score
            seen = truth + rng.standard_normal(len(mean)) * np.sqrt(self.variances)
            found.append(checked(self.model, self.thetas, seen + shift, self.variances))
        return found


def test_a_right_model_is_held_against_games_with_the_stated_coverage(
    mcmdp: tuple[Location, Analysis],
) -> None:
    """Of 400 studies drawn from the model; 0.95 ± 3 standard errors. A t-interval covers 54%."""
    found = Truth.of(mcmdp[1]).checks(400)
    within = np.mean([abs(each.excess) <= each.allowed for each in found])
    assert within == pytest.approx(0.95, abs=0.033)
    excess = [each.excess for each in found]
    assert found[0].allowed == pytest.approx(1.96 * np.std(excess), rel=0.12)
    assert abs(np.mean(excess)) < 3.3 * np.std(excess) / 20
    inside = np.mean([each.n_inside / each.n for each in found])
    assert inside == pytest.approx(0.95, abs=0.02)


def test_a_model_that_is_off_is_told(mcmdp: tuple[Location, Analysis]) -> None:
    truth = Truth.of(mcmdp[1])
    (usual,) = truth.checks(1)
    for each in truth.checks(20, shift=-4.0 * usual.allowed):
        assert each.excess > each.allowed
        assert each.n_inside < 0.8 * each.n


def test_how_sure_says_what_is_found(mcmdp: tuple[Location, Analysis]) -> None:
    front, said = mcmdp[1].tables["front"], texts(mcmdp[1])["How sure"]
    excess = (front["posterior_mean_points"] - front["score_mean_points"]).mean()
    assert f"judged {len(front)} θ: " in said
    (inside,) = re.findall(r"(\d+) of \d+ measured means", said)
    latent = front["score_mean_points"].between(
        front["posterior_low95_points"], front["posterior_high95_points"]
    )
    assert int(inside) >= latent.sum(), "an interval for means of games is wider"
    assert f"predicted {abs(excess):,.0f} points more than measured" in said
    (allowed,) = re.findall(r"(?:within|beyond) the ([\d,]+) points", said)
    assert ("within" in said) == (abs(excess) <= float(allowed.replace(",", "")))


def test_a_difference_is_of_both_means_with_its_deviation(
    mcmdp: tuple[Location, Analysis],
) -> None:
    """Two θ far apart: independent. The closed form of √y for large y: deviations add up."""
    candidates = mcmdp[1].candidates
    assert candidates is not None
    cheap, dear = candidates.played[0], candidates.played[-1]
    found = difference(candidates, dear, cheap)
    assert found.value == dear.expected.score.value - cheap.expected.score.value
    apart = np.hypot(dear.expected.score.sem, cheap.expected.score.sem)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * apart, rel=0.1)
    same = difference(candidates, dear, dear)
    assert (same.value, same.low, same.high) == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)


def test_a_baseline_is_compared_at_no_more_cost(mcmdp: tuple[Location, Analysis]) -> None:
    said = texts(mcmdp[1])["Against author's θ"]
    assert "number 3 is the best, at 44.8 µs" in said
    assert "429 games of its own" in said
    assert said.endswith("which may be chance.")


def test_a_baseline_that_is_beaten_by_none_at_its_cost_is_told_so(
    zstd: tuple[Location, Analysis],
) -> None:
    """Of what costs no more than level 3, level 1 compresses best, and worse: by more bits."""
    said = texts(zstd[1])["Against level 3"]
    assert "number 1 (level 1) is the best" in said
    assert "differs by +" in said
    assert said.endswith(", worse.")


def test_what_matters_is_said_of_what_the_model_takes(
    mcmdp: tuple[Location, Analysis], zstd: tuple[Location, Analysis]
) -> None:
    """Shares of the variance of a logarithm are not those of the cost itself."""
    for page, goal in ((mcmdp[1], "For the square root of score "), (zstd[1], "For ")):
        importance = importance_of(page)
        assert importance is not None
        (found,) = what_matters(importance, page)
        cost = page.data.experiment.cost.label
        assert found.text.startswith(goal)
        assert f"; for the logarithm of {cost} " in found.text.replace(" and for", "; for")


def test_further_baselines_are_apart(zstd: tuple[Location, Analysis]) -> None:
    said, others = claims(zstd[1])
    baselines = [each.about for each in [*said, *others] if each.about.startswith("Against ")]
    assert baselines == [f"Against {name}" for name in zstd[1].data.experiment.baselines]
    assert len([each for each in said if each.about in baselines]) == 2


def test_a_minimized_goal(zstd: tuple[Location, Analysis]) -> None:
    said = texts(zstd[1])
    assert "−" in said["What more time buys"]  # smaller is better
    assert "no validated θ costs less" in said["Against level 1"]


def test_signs_and_units() -> None:
    assert signed(Estimate(971.4, -890.0, 2832.8), SCORE) == "+971 ± 1,861 points"
    assert signed(Estimate(-0.25, -0.3, -0.2), WIN_RATE) == "−25.0 ± 5.0 percentage points"
    assert signed(Estimate(0.25, 0.25, 0.25), WIN_RATE) == "+25.0 percentage points"
    assert signed(Estimate(1.0, 1.0, 1.0), SCORE) == "+1 point"
    assert signed(Estimate(0.0, 0.0, 0.0), SCORE) == "0 points"


def test_studies_in_the_making(quick: Experiment) -> None:
    study = new_study()
    assert list(texts(Analysis(data_of(study, quick)))) == ["Nothing yet"]
    add_trials(study, quick)
    said = texts(Analysis(data_of(study, quick)))
    assert "prediction from 8 trials alone" in said["Not validated"]
    assert any(text.startswith("A proposal without games") for text in said.values())
    add_point(study, 5, spread(2100, 300), 0.05)
    said = texts(Analysis(data_of(study, quick)))
    assert "Not validated" not in said
    assert "1 of 1 measured means" in said["How sure"] or "0 of 1" in said["How sure"]
