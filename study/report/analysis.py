"""A study and what is computed from it: models, rows, certificate, tables; each computed once."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from thetafront.study.errors import InputError
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import missing_functions
from thetafront.study.model.study_model import combine, fit_study
from thetafront.study.report.played_rows import Row
from thetafront.study.report.recommend import Candidates
from thetafront.study.report.validated_rows import validated_rows
from thetafront.study.samplers.fitted_model import FittedModel

if TYPE_CHECKING:
    from thetafront.study.report.certificate import Certificate
    from thetafront.study.report.export import Tables
    from thetafront.study.report.importance import Importance

# Modules that need pandas or Altair are imported inside functions: both are slow to import, and
# commands that only print a front need neither.


@dataclass(frozen=True)
class Analysis:
    """A study as it was when it was read, with everything that is computed from it.

    All code that shows, picks or plans receives an analysis, so no model is fitted twice to the
    same games.
    """

    data: StudyData
    # The model of the same trials, if it was fitted before and only validation has continued since.
    known_model: FittedModel | None = field(default=None, compare=False)

    @cached_property
    def trials_model(self) -> FittedModel | None:
        """The model of the trials alone; None before the first complete trial."""
        model = self.known_model or fit_study(self.data)
        if model and (missing := missing_functions(self.data.experiment.space)):
            warnings.warn(
                f"study {self.data.name!r}: constraint {', '.join(missing)} cannot be found here, "
                "so all results may include θ that it forbids",
                stacklevel=2,
            )
        return model

    @cached_property
    def model(self) -> FittedModel | None:
        """The model of the trials, with points that validation left out added as failed points."""
        left_out = [point.params for point in self.data.points if point.error]
        return self.trials_model and self.trials_model.avoiding(left_out)

    @cached_property
    def combined(self) -> FittedModel | None:
        """The model fitted to trials and validation games; None without any game."""
        return combine(self.model, self.data)

    @cached_property
    def rows(self) -> list[Row]:
        """One row per validated point with games, numbered from the cheapest."""
        return [] if self.candidates is None else validated_rows(self.candidates)

    @cached_property
    def candidates(self) -> Candidates | None:
        """The θ that may be recommended; None without any game."""
        return None if self.combined is None else Candidates(self.data, self.combined)

    def to_pick_from(self) -> Candidates:
        """Return the θ that may be recommended; InputError if the study has no game."""
        if self.candidates is None:
            raise InputError(
                f"study: {self.data.name!r} has no complete trial yet: nothing to pick from"
            )
        return self.candidates

    @cached_property
    def certificate(self) -> "Certificate | None":
        """Bounds of the regret of recommended θ; None if no played θ can be recommended."""
        from thetafront.study.report.certificate import compute_certificate  # noqa: PLC0415

        return None if self.candidates is None else compute_certificate(self.candidates)

    @cached_property
    def importance(self) -> "Importance | None":
        """How much the combined model depends on each parameter; None without any game."""
        from thetafront.study.report.importance import compute_importance  # noqa: PLC0415

        return None if self.combined is None else compute_importance(self.combined)

    @cached_property
    def tables(self) -> "Tables":
        """The study's tables by name; those of whole-space fronts only if there is a model."""
        from thetafront.study.report.export import make_tables  # noqa: PLC0415

        with threadpool_limits(1):  # more threads are slower on matrices this small
            return make_tables(self)
