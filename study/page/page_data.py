"""What a page is made of: a study, its model and its tables, computed once."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd
from threadpoolctl import threadpool_limits

from thetafront.study.report.export import Tables, tables_of
from thetafront.study.report.hypervolume_trace import hypervolume_trace
from thetafront.study.report.recommend import Candidates
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.store.study_data import StudyData
from thetafront.study.store.study_model import combine, fit_study


@dataclass(frozen=True)
class PageData:
    """A study with what is computed from it.

    Attributes
    ----------
    data : StudyData
        The study.
    model : FittedModel, optional
        Fitted to its trials; None before the first complete one.
    combined : FittedModel, optional
        Given trials and validation games: what to expect; None without any game.
    tables : dict of str to DataFrame
        Its tables, as :func:`study.report.export.tables_of` makes them.
    """

    data: StudyData
    model: FittedModel | None
    combined: FittedModel | None
    tables: Tables

    @classmethod
    def of(cls, data: StudyData) -> "PageData":
        """Fit the model to a study and make its tables."""
        with threadpool_limits(1):  # more threads are slower on matrices this small
            model = fit_study(data)
            combined = combine(model, data)
            return cls(data, model, combined, tables_of(data, model, combined))

    @cached_property
    def trace(self) -> pd.DataFrame:
        """How the hypervolume grew, trial by trial; no row before the first complete trial."""
        with threadpool_limits(1):
            return hypervolume_trace(self.data)

    @cached_property
    def candidates(self) -> Candidates | None:
        """The θ that may be recommended; None without any game."""
        return None if self.combined is None else Candidates(self.data, self.combined)
