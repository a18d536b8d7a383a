"""What a search's trials let one believe: nothing before there is one; its fronts are tested with the model's."""

from study.experiments.definition import Experiment
from study.store.study_model import fit_study
from tests.study.made_studies import data_of, new_study


def test_nothing_is_believed_before_a_trial_is_complete(quick: Experiment) -> None:
    study = new_study()
    assert fit_study(data_of(study, quick, seed=1)) is None
    study.ask(quick.space.distributions())
    assert fit_study(data_of(study, quick, seed=1)) is None
