"""What a program's game takes beside the program: measured, and printed."""

from results.benchmarks.engine.protocols import overheads


def test_overheads_are_measured_by_protocol() -> None:
    said: list[str] = []
    found = overheads(2, said.append)
    assert set(found) == {"serve", "once"}
    assert len(said) == 2
    for each in found.values():
        assert 0.0 < each["min"] <= each["median"] <= each["max"] < 1000.0
    assert found["serve"]["median"] < found["once"]["median"]
