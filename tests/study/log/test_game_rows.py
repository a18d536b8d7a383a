"""Games as rows of a table."""

from tests.study.external_games import compressor
from thetafront.agents.agent import FailedGame
from thetafront.agents.external.report import ReportedGame
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.game_rows import cells_of_game, outcome_in

__all__ = ["compressor"]


def test_a_failed_game_is_one_line(compressor: Experiment) -> None:
    """Earlier versions stored errors of several lines."""
    cells = cells_of_game(FailedGame(3, "got array([0,\n       1])"), compressor)
    assert cells["failed_with"] == "got array([0, 1])"
    read = outcome_in({name: str(cell) for name, cell in cells.items()}, compressor)
    assert read == FailedGame(3, "got array([0, 1])")


def test_each_reported_field_has_a_column_of_its_own(compressor: Experiment) -> None:
    fields = {"phase": "a", "reported_phase": "b", "reported_reported_phase": "c", "reported_x": 4}
    game = ReportedGame(3, 1.5, 1, 0.25, {**fields, "x": "e", "energy": 2})
    cells = cells_of_game(game, compressor)
    assert cells["reported_phase"] == "a"
    assert cells["reported_x"] == 4
    assert outcome_in({name: str(cell) for name, cell in cells.items()}, compressor) == game
