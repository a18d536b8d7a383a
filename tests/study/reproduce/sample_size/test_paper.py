"""The paper's example, against fractions."""

import math
from fractions import Fraction

import pytest

from thetafront.study.reproduce.sample_size.paper import PAPER, paper_frame


def binomial(k: int, n: int, p: Fraction) -> Fraction:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def test_the_papers_figures_by_hand() -> None:
    p = Fraction(3, 5)
    frame = paper_frame().set_index(["n_games", "what"])
    by_hand = {
        (1, "expected score, points"): p * 70_000 + (1 - p) * 35_000,
        (3, "P(4096 exactly once)"): binomial(1, 3, p),
        (3, "P(4096 at most once)"): binomial(0, 3, p) + binomial(1, 3, p),
        (3, "mean score with 4096 once, points"): Fraction(70_000 + 2 * 35_000, 3),
        (9, "P(4096 at most 3 times)"): sum(binomial(k, 9, p) for k in range(4)),
        (9, "mean score with 4096 3 times, points"): Fraction(3 * 70_000 + 6 * 35_000, 9),
    }
    for key, exact in by_hand.items():
        assert frame.loc[key, "exact"] == pytest.approx(float(exact), rel=1e-12)
    assert by_hand[3, "P(4096 exactly once)"] == Fraction(36, 125), "0.288"
    assert by_hand[3, "P(4096 at most once)"] == Fraction(44, 125), "0.352"
    assert frame.loc[(3, "P(4096 exactly once)"), "paper"] == 0.375
    assert frame.loc[(3, "mean score with 4096 once, points"), "paper"] == 47_333
    assert round(frame.loc[(9, "P(4096 at most 3 times)"), "exact"], 3) == 0.099
    variance = p * (1 - p) * 35_000**2
    assert frame.loc[(1, "standard deviation, points"), "exact"] ** 2 == pytest.approx(variance)
    assert PAPER.deviation / 3 == pytest.approx(frame.loc[(9, "standard error, points"), "exact"])


def test_where_the_papers_other_figures_come_from() -> None:
    assert binomial(1, 3, Fraction(1, 2)) == Fraction(375, 1000)
    assert round(Fraction(70_000 + 2 * 36_000, 3)) == 47_333
    notes = paper_frame().set_index(["n_games", "what"])["note"]
    assert "0.375 is that of p = 0.5" in notes[3, "P(4096 exactly once)"]
    assert "47,333 = (70,000 + 2 × 36,000)/3" in notes[3, "mean score with 4096 once, points"]
