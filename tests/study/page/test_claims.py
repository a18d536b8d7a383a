"""What a page says in sentences is what the study's tables and models have."""

import re

import numpy as np
import pytest

from study.estimate import Estimate, t_interval
from study.experiments.definition import Experiment
from study.experiments.objectives import SCORE, WIN_RATE
from study.page.claims import claims, difference, signed
from study.page.page_data import PageData
from study.report.recommend import Wish, pick
from study.store.location import Location
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread

pytestmark = pytest.mark.usefixtures("one_thread")


def texts(page: PageData) -> dict[str, str]:
    return {each.about: each.text for each in claims(page)}


def test_the_best_within_budgets_are_picks(mcmdp: tuple[Location, PageData]) -> None:
    data = mcmdp[1].data
    said = {about: text for about, text in texts(mcmdp[1]).items() if about.startswith("Within")}
    assert len(said) == 3
    for about, text in said.items():
        value, unit = re.match(r"Within ([\d.]+) (\S+) a move", about).groups()  # type: ignore[union-attr]
        assert unit == "µs"
        chosen = pick(data, Wish(data.experiment, float(value) * 1e-6)).chosen
        assert text.startswith(f"Number {chosen.number} (θ₁ ")
        score = chosen.expected.score
        assert SCORE.format.interval_with_unit(score.value, score.low, score.high) in text
        assert f"given 6,396 games, {len(chosen.point.games):,} of them of this θ" in text


def test_how_sure_is_counted_from_the_table(mcmdp: tuple[Location, PageData]) -> None:
    front = mcmdp[1].tables["front"]
    means = front["score_mean_points"]
    inside = means.between(front["posterior_low95_points"], front["posterior_high95_points"])
    excess = t_interval((front["posterior_mean_points"] - means).tolist())
    said = texts(mcmdp[1])["How sure"]
    assert f"judged {len(front)} θ: {inside.sum()} of {len(front)} measured means" in said
    half = (excess.high - excess.low) / 2
    assert f"predicted {excess.value:,.0f} ± {half:,.0f} points better than measured" in said
    assert f"n = {len(front)} θ" in said


def test_a_difference_is_of_both_means_with_its_deviation(
    mcmdp: tuple[Location, PageData],
) -> None:
    """Two θ far apart: independent. The closed form of √y for large y: deviations add up."""
    candidates = mcmdp[1].candidates
    assert candidates is not None
    cheap, dear = candidates.played[0], candidates.played[-1]
    found = difference(candidates, dear, cheap)
    assert found.value == dear.expected.score.value - cheap.expected.score.value
    apart = np.hypot(dear.expected.score.sem, cheap.expected.score.sem)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * apart, rel=0.1)
    assert difference(candidates, dear, dear) == pytest.approx(Estimate(0.0, 0.0, 0.0), nan_ok=True)


def test_a_baseline_is_compared_at_no_more_cost(mcmdp: tuple[Location, PageData]) -> None:
    said = texts(mcmdp[1])["Against author's θ"]
    assert "Number 3 costs 44.8 µs" in said
    assert "429 games of its own" in said


def test_a_minimized_goal(zstd: tuple[Location, PageData]) -> None:
    said = texts(zstd[1])
    assert "−" in said["What more time buys"]  # smaller is better
    assert "no validated θ costs less" in said["Against level 1"]


def test_signs_and_units() -> None:
    assert signed(Estimate(971.4, -890.0, 2832.8), SCORE) == "+971 ± 1,861 points"
    assert signed(Estimate(-0.25, -0.3, -0.2), WIN_RATE) == "−25.0 ± 5.0 percentage points"
    assert signed(Estimate(1.0, 1.0, 1.0), SCORE) == "+1 point"
    assert signed(Estimate(0.0, 0.0, 0.0), SCORE) == "0 points"


def test_studies_in_the_making(quick: Experiment) -> None:
    study = new_study()
    assert list(texts(PageData.of(data_of(study, quick)))) == ["Nothing yet"]
    add_trials(study, quick)
    said = texts(PageData.of(data_of(study, quick)))
    assert "prediction from 8 trials alone" in said["Not validated"]
    assert any(text.startswith("A proposal without games") for text in said.values())
    add_point(study, 5, spread(2100, 300), 0.05)
    said = texts(PageData.of(data_of(study, quick)))
    assert "Not validated" not in said
    assert "1 of 1 measured means" in said["How sure"] or "0 of 1" in said["How sure"]
