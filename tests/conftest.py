"""What holds for all tests."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

# A shell starts background jobs, and all their children, with Ctrl-C ignored, and nohup does so
# with SIGHUP. Tests that interrupt a program would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A failed assertion in one of these helpers shows its values, as in a test.
pytest.register_assert_rewrite("tests.agents.conformance", "tests.study.experiments.conformance")
MARKS = {"papers": "papers", "benchmarks": "papers", "browser": "browser", "cluster": "cluster"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of some folders: ``make test-papers`` runs those of papers and benchmarks."""
    for item in items:
        for folder, mark in MARKS.items():
            if Path(__file__).with_name(folder) in item.path.parents:
                item.add_marker(mark)


@pytest.fixture(scope="session", autouse=True)
def networks_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what agents learn in tests away from the networks of a user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THETAFRONT_NETWORKS", str(tmp_path_factory.mktemp("networks")))
        yield
