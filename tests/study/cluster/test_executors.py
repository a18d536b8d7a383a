"""Which executor plays."""

from tests.processes import python


def test_a_sweep_on_one_machine_imports_nothing_else_of_a_cluster() -> None:
    program = (
        "import sys\n"
        "from thetafront.study.cluster.executors import executor_for\n"
        "print(executor_for(2, None, None).capacity)\n"
        "print(*(name for name in sys.modules if name.startswith('thetafront.study.cluster')))"
    )
    jobs, modules = python(program).splitlines()
    assert jobs == "2"
    assert set(modules.split()) == {
        "thetafront.study.cluster",
        "thetafront.study.cluster.executors",
    }
