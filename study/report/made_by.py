"""What made a study: commands, revisions, machines, versions and seeds of its runs."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from thetafront.study.log.location import Location
from thetafront.study.log.published_study import PublishedStudy
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.text import counted, listed

Run = Mapping[str, Any]


def facts(page: Analysis) -> list[tuple[str, str]]:
    """Return labelled facts about the study, its machines and its versions."""
    data = page.data
    record, runs = data.record, data.runs
    found = [
        ("experiment", f"{data.experiment.name}: {data.experiment.title}"),
        ("seeds", seeds_text(data)),
        ("design", f"{record.design}, {counted(record.design_size, 'trial')}"),
        ("samplers", listed(distinct(runs, "sampler")) if distinct(runs, "sampler") else ""),
        ("machines", machines_text(data)),
        ("cluster workers", cluster_text(data)),
        ("revisions", ", ".join(distinct(runs, "git_revision"))),
        ("versions", "; ".join(dict.fromkeys(versions_text(run) for run in runs))),
    ]
    return [(label, text) for label, text in found if text]


def distinct(runs: Sequence[Run], key: str) -> list[str]:
    """Return the different values of a key, in order; empty ones are left out."""
    return [each for each in dict.fromkeys(str(run.get(key) or "") for run in runs) if each]


def seeds_text(data: StudyData) -> str:
    """Say which seeds the games have."""
    seeds = [
        game.seed
        for games in (*(each.games for each in data.trials), *(each.games for each in data.points))
        for game in games.values()
    ]
    each = f"; games {min(seeds):,} to {max(seeds):,}, all listed in games.csv" if seeds else ""
    return f"study {data.record.seed}{each}"


def machines_text(data: StudyData) -> str:
    """Describe the machines of a study's runs, each once; empty if they are not recorded."""
    return "; ".join(filter(None, dict.fromkeys(map(machine_text, data.runs))))


def machine_text(run: Run) -> str:
    """Describe the machine of a run."""
    machine = run.get("machine") or {}
    words = [str(machine[key]) for key in ("cpu", "architecture", "system") if machine.get(key)]
    cores = [f"{machine['cores']} cores"] if machine.get("cores") else []
    return ", ".join([*words[:1], *cores, *words[1:]])


def cluster_text(data: StudyData) -> str:
    """Say how many games each class of machine played, if workers of a cluster played games."""
    counts: dict[str, int] = {}
    for (_, key), n in data.n_games_by_machine.items():
        counts[key] = counts.get(key, 0) + n
    named = [
        f"{(data.machines.get(key) or {}).get('cpu', key)}: {counted(n, 'game')}"
        for key, n in sorted(counts.items())
    ]
    return "; ".join(named)


def versions_text(run: Run) -> str:
    """Write the versions of a run."""
    versions = dict(run.get("versions") or {})
    python = (run.get("machine") or {}).get("python")
    every = ({"python": python} if python else {}) | versions
    return ", ".join(f"{name} {version}" for name, version in every.items())


def runs_table(data: StudyData) -> pd.DataFrame:
    """Return a table of all runs, in order."""
    rows = []
    for run in data.runs:
        share = run.get("share_of_worker_time_in_games")
        seconds, n = run.get("wall_seconds"), run.get("n_games")
        rows.append(
            {
                "began": moment(str(run.get("began", ""))),
                "command": str(run.get("command_line", "")),
                "phase": str(run.get("phase", "")),
                "games": f"{n:,}" if isinstance(n, int) else "",
                "wall time": f"{seconds:,.0f} s" if isinstance(seconds, int | float) else "",
                "jobs": str(run.get("jobs", "")),
                "worker time in games": f"{share:.1%}" if isinstance(share, int | float) else "",
            }
        )
    return pd.DataFrame(rows)


def moment(text: str) -> str:
    """Write a stored time in UTC; text that is not a time stays unchanged."""
    try:
        return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return text


def again(data: StudyData) -> str:
    """Return the commands that reproduce the study: those that made it, each at its revision.

    If a user defined the experiment, its code is not in this repository, so the commands have no
    revisions.
    """
    lines: list[str] = []
    revision = ""
    for run in data.runs:
        of_run = str(run.get("git_revision") or "").partition("+")[0]
        if of_run and of_run != revision and data.record.defined is None:
            lines.append(f"git checkout {of_run}")
            revision = of_run
        command = str(run.get("command_line") or "")
        if command and command not in lines[-1:]:
            lines.append(command)
    return "\n".join(lines)


def verify_command(data: StudyData, location: Location) -> str:
    """Return the command that plays all games again.

    For a published study, it must be run in the parent of the study's folder.
    """
    is_folder = isinstance(data, PublishedStudy)
    words = [f"{location.folder.resolve().name}/"] if is_folder else location.words
    return shlex.join(["thetafront", "verify", *words, "--games", "all"])


def again_note(data: StudyData) -> str:
    """Say what the commands of :func:`again` need, and which of their results will differ."""
    said = [
        "Run these commands in a folder that does not contain this study; otherwise they would "
        "continue it."
    ]
    revisions = distinct(data.runs, "git_revision")
    if any("+" in each for each in revisions):
        said.append("The checkout had uncommitted changes.")
    if any(str(run.get("command_line", "")).partition("(")[1] for run in data.runs):
        said.append(
            "Lines with parentheses are Python code; run this line first: from thetafront import "
            "sweep, open_study."
        )
    if data.experiment.cost.is_timed:
        said.append(
            "Times depend on the machine, so the front will agree within its intervals only on an "
            "equally fast machine."
        )
    elif any(run.get("budget_seconds") for run in data.runs):
        said.append(
            "How many games fit into a time budget depends on the machine, so the front will agree "
            "only within its intervals."
        )
    return " ".join(said)
