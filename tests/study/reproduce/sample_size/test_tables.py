"""The tables' notes."""

from tests.study.reproduce.sample_size.samples import sample
from thetafront.study.reproduce.sample_size.measured import measure
from thetafront.study.reproduce.sample_size.tables import sections_of


def test_what_is_not_known_is_said() -> None:
    measured = measure([sample([0, 100, 200, 300]), sample([10, 110, 190, 310], "B")])
    last = sections_of(measured)[-1]
    assert "No number of games is known" in last.note
    assert last.rows[0][1:] == ("not known", "not known")
