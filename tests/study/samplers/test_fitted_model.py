"""The fitted model of a study: none before a trial is complete."""

from study.experiments.definition import Experiment
from study.store.study_model import fit_study
from tests.study.made_studies import data_of, new_study


def test_there_is_no_model_before_a_trial_is_complete(quick: Experiment) -> None:
    study = new_study()
    assert fit_study(data_of(study, quick, seed=1)) is None
    study.ask(quick.space.distributions())
    assert fit_study(data_of(study, quick, seed=1)) is None
