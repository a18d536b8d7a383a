"""Which executor plays."""

import subprocess
import sys


def test_a_sweep_on_one_machine_imports_nothing_else_of_a_cluster() -> None:
    program = (
        "import sys\n"
        "from thetafront.study.cluster.executors import executor_for\n"
        "print(executor_for(2, None, None).capacity)\n"
        "print(*(name for name in sys.modules if name.startswith('thetafront.study.cluster')))"
    )
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    jobs, modules = done.stdout.splitlines()
    assert jobs == "2"
    assert set(modules.split()) == {
        "thetafront.study.cluster",
        "thetafront.study.cluster.executors",
    }
