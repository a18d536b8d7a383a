"""Studies that exist, opened for a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optuna

    from study.store.location import Place
    from study.store.study_data import StudyData


@contextmanager
def reading(
    study: str, name: str | None, results: Path
) -> "Iterator[tuple[optuna.Study, Place, StudyData]]":
    """Open and read a study that exists; what its storage does wrong becomes one line."""
    import optuna

    from study.store.location import Place
    from study.store.storage import faults_reported, open_for_reading

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    url = study if "://" in study else "sqlite:///"
    with faults_reported(Place(study, url, results)):
        yield open_for_reading(study, results, name)
