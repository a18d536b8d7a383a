"""The figure, of one θ and of two."""

from tests.study.reproduce.sample_size.samples import coins
from thetafront.study.reproduce.sample_size.figure import sample_size_figure
from thetafront.study.reproduce.sample_size.measured import measure


def test_the_picture_of_one_and_of_two() -> None:
    two = measure([coins(30, 50, "A"), coins(70, 50, "B")], [0.3])
    assert 0.3 in set(two.errors["standard_error_points"])
    left, right = sample_size_figure(two).axes
    assert [text.get_text()[:2] for text in left.get_legend().get_texts()] == ["A,", "B,"]
    assert right.get_legend().get_texts()[0].get_text() == "wrong order: A ahead of B"
    one = measure([coins(30, 50, "A")])
    assert sample_size_figure(one).axes[1].get_title(loc="left") == "The paper's example"
