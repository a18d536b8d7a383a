"""The result of a verification: checks, each with a number of items and the problems found."""

from dataclasses import asdict, dataclass, field
from typing import Any

from rich.table import Table

MAX_SHOWN = 3


@dataclass
class Check:
    """One check: its subject, the number of items checked, and their problems."""

    name: str
    n: int = 0
    problems: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def result(self) -> str:
        """Return ``ok``, or the number of problems and the first few of them."""
        if not self.problems:
            return self.note or "ok"
        shown = [f"{len(self.problems):,} wrong", *self.problems[:MAX_SHOWN]]
        if self.note:
            shown.insert(1, self.note)
        more = len(self.problems) - MAX_SHOWN
        return "\n".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])


@dataclass
class CheckReport:
    """All checks of a study or a folder, and what was repaired or lost before them."""

    subject: str
    checks: list[Check]
    repaired: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no check has found a problem."""
        return not any(check.problems for check in self.checks)

    def table(self) -> Table:
        """Lay the checks out for a terminal."""
        table = Table(title=self.subject, title_justify="left")
        table.add_column("check")
        table.add_column("n", justify="right")
        table.add_column("result", overflow="fold")
        for check in self.checks:
            table.add_row(check.name, f"{check.n:,}", check.result)
        return table

    def lines(self) -> list[str]:
        """Return what was repaired and what is lost, one line each."""
        return [f"repaired: {each}" for each in self.repaired] + [f"lost: {x}" for x in self.lost]

    def json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {"subject": self.subject, "ok": self.ok, **asdict(self)}
