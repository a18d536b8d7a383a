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
OF_RESULTS = {Path(__file__).with_name(each) for each in ("papers", "benchmarks")}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Papers and benchmarks are no part of the product: ``make test-papers`` runs their tests."""
    for item in items:
        if not OF_RESULTS.isdisjoint(item.path.parents):
            item.add_marker(pytest.mark.papers)


@pytest.fixture(scope="session", autouse=True)
def networks_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what agents learn in tests away from the networks of a user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THETAFRONT_NETWORKS", str(tmp_path_factory.mktemp("networks")))
        yield
