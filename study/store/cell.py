"""A stored value and where it is stored, so that damage can be named and mended."""

import json
from dataclasses import dataclass
from typing import Any

from thetafront.study.store.seeds import shortened


@dataclass(frozen=True)
class Cell:
    """A stored text or number, and the table and row that hold it."""

    table: str
    row: int
    value: Any

    @property
    def json(self) -> Any:
        """The value behind a JSON text; ValueError if it is none."""
        try:
            return json.loads(self.value)
        except (TypeError, ValueError, RecursionError):
            raise ValueError(f"{shortened(self.value)} given, JSON expected") from None
