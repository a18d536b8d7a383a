"""The settings of a search."""

from dataclasses import dataclass

from thetafront.study.errors import check_range
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.seeds import MAX_REPLICATES, MAX_STUDY_SEED
from thetafront.study.log.study_record import StudyRecord, make_definition
from thetafront.study.samplers import DEFAULT_SAMPLER

MAX_TRIALS = 1_000_000
DEFAULT_TRIALS, TRIALS_IN_BUDGET = 128, 384  # without a budget; maximum with a budget
MAX_DESIGN_POINTS = 4096


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search; InputError if a number is out of range."""

    # Number of complete trials that the study shall have, including those of earlier runs;
    # MAX_TRIALS for as many as a budget allows.
    n_trials: int = DEFAULT_TRIALS
    n_replicates: int = 4  # games per trial
    seed: int = 0  # the study's seed
    sampler: str = DEFAULT_SAMPLER  # which sampler proposes θ
    design: str = "sobol"  # how the initial design is drawn
    design_size: int = 16  # trials of the initial design
    adapts: bool = False  # whether trials get more games if games are short

    def __post_init__(self) -> None:
        check_range("trials", self.n_trials, 1, MAX_TRIALS)
        check_range("replicates", self.n_replicates, 1, MAX_REPLICATES)
        check_range("seed", self.seed, 0, MAX_STUDY_SEED)
        check_range("design size", self.design_size, 1, MAX_DESIGN_POINTS)

    @property
    def has_total(self) -> bool:
        """Whether the number of trials has a limit of its own, besides the budget."""
        return self.n_trials < MAX_TRIALS

    def record(self, experiment: Experiment) -> StudyRecord:
        """Return the settings that identify the study."""
        return StudyRecord(
            experiment=experiment.name,
            space=experiment.space.as_records(),
            seed=self.seed,
            design=self.design,
            design_size=self.design_size,
            cost=experiment.cost.name,
            fixed=dict(experiment.fixed),
            definition=make_definition(experiment),
            constraints=experiment.space.constraints_as_records(),
            direction=experiment.goal.direction,
        )
