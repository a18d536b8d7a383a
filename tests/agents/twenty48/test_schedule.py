"""Schedules against the paper's words and the author's numbers."""

from thetafront.agents.twenty48.schedule import Theta

AUTHOR = (500, 54, 18, 9, 6.25)


def test_the_authors_theta_by_hand() -> None:
    schedule = Theta(*AUTHOR).schedule
    # ⌊500/e⌋ for 1-3, ⌊216/e⌋ for 4-6, ⌊126/e⌋ for 7-9, 9 from 10 on
    assert schedule.n_twos == (500, 250, 166, 54, 43, 36, 18, 15, 14, 9, 9, 9, 9, 9, 9)
    # ⌈n₂/6.25⌉: 80, 40, 26.56, 8.64, 6.88, 5.76, 2.88, 2.4, 2.24, 1.44; at least 3
    assert schedule.n_fours == (80, 40, 27, 9, 7, 6, 3, 3, 3, 3, 3, 3, 3, 3, 3)


def test_ranges_have_equal_totals() -> None:
    """θ₁, θ₂ and θ₃ divisible by everything in their range: e · n₂(e) is constant there."""
    twos = Theta(600, 150, 504, 20, 1).schedule.n_twos
    assert [e * twos[e - 1] for e in (1, 2, 3)] == [600] * 3
    assert [e * twos[e - 1] for e in (4, 5, 6)] == [600] * 3
    assert [e * twos[e - 1] for e in (7, 8, 9)] == [3528] * 3
    assert set(twos[9:]) == {20}


def test_every_node_gets_the_least() -> None:
    schedule = Theta(1, 1, 1, 1, 10).schedule
    assert set(schedule.n_twos) == set(schedule.n_fours) == {3}
    assert set(Theta(1, 1, 1, 1, 10, min_playouts=1).schedule.n_fours) == {1}


def test_whole_quotients_stay_whole() -> None:
    """21 / 2.1 is 10 but for rounding, 9.999… or 10.000…1 as floats go."""
    assert Theta(21, 9, 9, 9, 2.1, min_playouts=1).schedule.n_fours[0] == 10
