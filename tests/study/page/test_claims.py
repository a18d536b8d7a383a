"""What a page says in sentences is what the study's tables and models have."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.study.charts.published import published
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.charts.comparison import signed
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import SCORE, WIN_RATE, mean
from thetafront.study.page.claims import claims, difference, what_matters
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.prediction_check import PredictionCheck, checked, trust_text
from thetafront.study.samplers.fitted_model import FittedModel


def texts(page: Analysis) -> dict[str, str]:
    found = claims(page)
    return dict([*found.short, *found.baselines, *found.details])


@dataclass(frozen=True)
class Truth:
    """Studies whose truth is drawn from a model: its covariance at some θ, and noise of games."""

    model: FittedModel
    thetas: list[dict[str, Any]]
    variances: npt.NDArray[np.float64]

    @classmethod
    def from_page(cls, page: Analysis) -> "Truth":
        """Take the validated points of a study."""
        assert page.model is not None
        front = page.tables["front"]
        names = page.data.experiment.space.names
        thetas = [{name: row[name] for name in names} for row in front.to_dict("records")]
        half = (front["score_high95_points"] - front["score_low95_points"]) / 2
        return cls(page.model, thetas, (half.to_numpy() / 1.96) ** 2)

    def checks(self, n: int, shift: float = 0.0) -> list[PredictionCheck]:
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


def test_a_right_model_is_held_against_games_with_the_stated_coverage() -> None:
    """Of 400 studies drawn from the model; 0.95 ± 3 standard errors. A t-interval covers 54%."""
    found = Truth.from_page(published("mcmdp")[1]).checks(400)
    within = np.mean([abs(each.excess) <= each.allowed for each in found])
    assert within == pytest.approx(0.95, abs=0.033)
    excess = [each.excess for each in found]
    assert found[0].allowed == pytest.approx(1.96 * np.std(excess), rel=0.12)
    assert abs(np.mean(excess)) < 3.3 * np.std(excess) / 20
    inside = np.mean([each.n_inside / each.n for each in found])
    assert inside == pytest.approx(0.95, abs=0.02)


def test_a_model_that_is_off_is_reported() -> None:
    truth = Truth.from_page(published("mcmdp")[1])
    (usual,) = truth.checks(1)
    for each in truth.checks(20, shift=-4.0 * usual.allowed):
        assert each.excess > each.allowed
        assert each.n_inside < 0.8 * each.n


def test_how_the_model_was_checked_says_what_is_found() -> None:
    page = published("mcmdp")[1]
    front, said = page.tables["front"], texts(page)["How the model was checked"]
    excess = (front["posterior_mean_points"] - front["score_mean_points"]).mean()
    assert f" games with {len(front)} θ on fresh seeds" in said
    (inside,) = re.findall(r"(\d+) of \d+ measured means", said)
    latent = front["score_mean_points"].between(
        front["posterior_low95_points"], front["posterior_high95_points"]
    )
    assert int(inside) >= latent.sum(), "an interval for means of games is wider"
    assert f"predicted {abs(excess):,.0f} points more than was measured" in said
    (allowed,) = re.findall(r"this difference is at most ([\d,]+) points in 95% of cases", said)
    found = claims(page)
    assert found.is_trusted == (abs(excess) <= float(allowed.replace(",", "")))
    assert not found.is_trusted, "the published study shows what a page says of such a model"
    assert found.trust.startswith(
        f"The model of the trials is too optimistic, by {excess:,.0f} points on average (up "
        f"to {allowed} points could be due to chance); {inside} of {len(front)} "
        "measured means are inside its"
    )
    bound = page.tables["certificate"]["regret_bound95"].max()
    text = f"95% probability, the recommended θ is within {bound:,.0f} points of the best at every "
    assert f"ith {text}budget from " in found.certificate


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (
            PredictionCheck(14, 14, 1600.0, 3600.0),
            "The model of the trials passes its check: 14 of 14 measured means are inside its 95% "
            "intervals; on average, the means are 1,600 points below its predictions (up to 3,600 "
            "points could be due to chance).",
        ),
        (
            PredictionCheck(13, 7, 3524.0, 1786.0),
            "The model of the trials is too optimistic, by 3,524 points on average (up to "
            "1,786 points could be due to chance); 7 of 13",
        ),
        (
            PredictionCheck(13, 13, -3524.0, 1786.0),
            "The model of the trials is too pessimistic, by 3,524 points on average (up to "
            "1,786 points could be due to chance); 13 of 13",
        ),
        (
            PredictionCheck(13, 13, 1786.4, 1786.0),
            "The model of the trials is too optimistic, by 1,786 points on average (more than "
            "could be due to chance); 13 of 13",
        ),
        (PredictionCheck(18, 14, 0.0, 1.0), "The model of the trials is too confident; 14 of 18"),
        (
            PredictionCheck(18, 18, 0.0, 1.0, 14),
            "The model of the trials is too confident; 18 of 18 measured means and 14 of 18 "
            "measured costs are inside its 95% intervals.",
        ),
    ],
)
def test_the_line_of_trust(check: PredictionCheck, said: str) -> None:
    text = trust_text(check, SCORE)
    assert text.startswith(said)
    assert text.endswith("trust measured points first.") != check.is_passed


def test_a_difference_is_of_both_means_with_its_deviation() -> None:
    """Two θ far apart: independent. The closed form of √y for large y: deviations add up."""
    candidates = published("mcmdp")[1].candidates
    assert candidates is not None
    cheap, dear = candidates.played[0], candidates.played[-1]
    found = difference(candidates, dear, cheap)
    assert found.value == dear.expected.score.value - cheap.expected.score.value
    apart = np.hypot(dear.expected.score.sem, cheap.expected.score.sem)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * apart, rel=0.1)
    same = difference(candidates, dear, dear)
    # Of 60,000 points: what makes the covariance of equal points definite has its root in draws.
    assert (same.value, same.low, same.high) == pytest.approx((0.0, 0.0, 0.0), abs=0.1)


@pytest.mark.parametrize("name", ["mcmdp", "zstd", "uct", "dice_study", "ntuple"])
def test_a_baseline_is_compared_with_all_that_cost_no_more(name: str) -> None:
    """Against a plain search in the table: of all rows, other baselines too."""
    page = published(name)[1]
    goal, cost = page.data.experiment.goal, page.data.experiment.cost
    front = page.tables["front"]
    values = goal.sign * front[goal.combined_column("mean")]
    costs = front[f"combined_{cost.name}"]
    said = {about.removeprefix("Against "): text for about, text in claims(page).baselines}
    assert [*said] == [*page.data.experiment.baselines]
    for place, row in front.iterrows():
        if (text := said.get(row["origin"])) is None:
            continue
        cheaper = front.index[(costs <= costs[place]) & (front.index != place)]
        if not len(cheaper):
            assert text.endswith("no validated θ costs less.")
            continue
        best = values[cheaper].idxmax()
        assert re.search(rf"[Nn]umber {front['number'][best]}\b", text)
        than = f"at {cost.text(costs[best])} against {cost.text(costs[place])}"
        assert than in text, "a lower cost is told"
        if "It is beaten" in text or "is as good and costs no more" in text:
            assert values[best] >= values[place]
        elif "No validated θ beats it" in text:
            assert values[best] < values[place]
        else:
            assert "may be as good" in text


def test_what_matters_names_the_largest_shares() -> None:
    for name in ("mcmdp", "pacman"):
        page = published(name)[1]
        importance = page.importance
        assert importance is not None
        text = what_matters(importance, page)
        labels = page.data.experiment.goal.label, page.data.experiment.cost.label
        for label, total in zip(labels, importance.total, strict=True):
            best = list(page.data.experiment.space)[int(total.argmax())]
            (part,) = (each for each in text.split("; ") if f"the {label} (" in each)
            assert part.startswith(f"{best.label} ({best.description}) drives")
            assert f"the {label} ({max(total):.0%} of its variance)" in part


def test_more_time_is_worth_less_of_a_minimized_goal() -> None:
    zstd, mcmdp = (texts(published(name)[1])["What more time buys"] for name in ("zstd", "mcmdp"))
    assert "−" in zstd  # smaller is better
    assert mcmdp.startswith("From 50 µs to 100 µs per move: +"), "budgets have no false digits"


def test_signs_and_units() -> None:
    assert signed(Estimate(971.4, -890.0, 2832.8), SCORE) == "+971 ± 1,861 points"
    assert signed(Estimate(-0.25, -0.3, -0.2), WIN_RATE) == "−25.0 ± 5.0 percentage points"
    assert signed(Estimate(0.25, 0.25, 0.25), WIN_RATE) == "+25.0 percentage points"
    assert signed(Estimate(1.0, 1.0, 1.0), SCORE) == "+1 point"
    packed = mean("packed", unit="%", low=0.0, high=100.0)
    assert signed(Estimate(-0.83, -1.16, -0.51), packed) == "−0.83 ± 0.32 percentage points"
    assert signed(Estimate(-0.5, -0.5, -0.5), packed) == "−0.5 percentage points"
    assert signed(Estimate(-0.001, -0.29, 0.288), packed) == "0.00 ± 0.29 percentage points"
    assert signed(Estimate(0.0, 0.0, 0.0), SCORE) == "0 points"


def test_studies_in_the_making(quick: Experiment) -> None:
    study = new_study()
    assert list(texts(Analysis(data_of(study, quick)))) == ["Nothing yet"]
    add_trials(study, quick)
    found = claims(Analysis(data_of(study, quick)))
    assert "the model of 8 trials" in found.trust
    assert not found.is_trusted
    add_point(study, 5, spread(2100, 300), 0.05)
    found = claims(Analysis(data_of(study, quick)))
    assert "1 of 1 measured means" in found.trust or "0 of 1" in found.trust
