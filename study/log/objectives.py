"""A study's objectives, goal and cost, as optuna and models take them: directions and scales."""

from optuna.study import StudyDirection

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Goal
from thetafront.study.scale import Scale

Directions = tuple[StudyDirection, StudyDirection]

POSSIBLE_DIRECTIONS: tuple[Directions, ...] = (
    (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE),
    (StudyDirection.MINIMIZE, StudyDirection.MINIMIZE),
)
"""Those of any study; one's own are known by its goal."""


def study_directions(goal: Goal) -> Directions:
    """Return the directions of a study's objectives: the goal's, and that of a cost."""
    return StudyDirection[goal.direction.upper()], StudyDirection.MINIMIZE


def model_scales(experiment: Experiment) -> tuple[Scale, Scale]:
    """Return the scales on which a model takes the objectives."""
    return experiment.goal.estimator.scale, Scale.LOG
