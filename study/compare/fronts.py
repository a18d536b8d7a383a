"""Validated fronts to compare."""

from dataclasses import dataclass, replace

import pandas as pd

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import check_2048
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import validated_frame


@dataclass(frozen=True)
class Front:
    """The validated points of a study of 2048; InputError if the study is of another game."""

    name: str
    seed: int  # the study's
    experiment: Experiment  # the study's, with its cost
    validated: pd.DataFrame  # as `validated_frame` returns them

    def __post_init__(self) -> None:
        check_2048(f"study: {self.name!r}", self.experiment.summary.game)

    @classmethod
    def from_study(cls, data: StudyData) -> "Front":
        """Return the front of a study."""
        frame = validated_frame(Analysis(data))
        return cls(data.name, data.record.seed, data.experiment, frame)


def within(front: Front, other: Front) -> Front:
    """Drop the points that are cheaper, or more expensive, than all points of another front.

    Points are compared by playout moves per move, which do not depend on the machine.
    """
    costs = other.validated["playout_moves_per_move"]
    mine = front.validated["playout_moves_per_move"]
    inside = (mine >= costs.min()) & (mine <= costs.max())
    return replace(front, validated=front.validated[inside].reset_index(drop=True))
