"""The agent and the experiment of ``docs/how-to/add-an-agent.md`` conform as all others do."""

import re
from pathlib import Path

from tests.processes import python

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "add-an-agent.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.S | re.M)

# A fresh process, and a cache of its own: no kernel that this page shows stays behind.
PROGRAM = """
from pathlib import Path

from tests.processes import python
from corner import Corner
from corner_experiment import CORNER
from thetafront.study.experiments.registry import EXPERIMENTS
EXPERIMENTS[CORNER.name] = CORNER
from tests.agents import conformance as agents
agents.check_warming("corner")
for check in agents.CHECKS:
    check("corner")
from tests.study.experiments import conformance as experiments
experiments.check_corners("corner")
experiments.check_baselines("corner")
print(Corner().play(1).score)
"""


def test_what_the_page_shows_works(tmp_path: Path) -> None:
    agent, experiment = BLOCKS
    (tmp_path / "corner.py").write_text(agent, "utf-8")
    experiment = experiment.replace("thetafront.agents.twenty48.corner", "corner")
    (tmp_path / "corner_experiment.py").write_text(experiment, "utf-8")
    own = {"PYTHONPATH": str(tmp_path), "THETAFRONT_CACHE_DIR": str(tmp_path / "kernels")}
    assert int(python(PROGRAM, env=own)) > 0
