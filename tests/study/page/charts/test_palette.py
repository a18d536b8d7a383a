"""Colours can be seen on white and on dark."""

import pytest

from thetafront.study.page.charts import palette


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("background", ["#ffffff", "#12161b"])
@pytest.mark.parametrize("name", ["BLUE", "GREEN", "ORANGE", "PINK", "GREY"])
def test_contrast_suffices_for_marks(name: str, background: str) -> None:
    light, dark = sorted((luminance(getattr(palette, name)), luminance(background)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3.0


def test_all_channels_share_one_domain_and_legend() -> None:
    kinds = [palette.Kind("a", palette.BLUE), palette.Kind("b", palette.PINK, is_hollow=True)]
    found = palette.encodings(kinds, "stroke", "fill", "shape")
    scales = {channel: each.to_dict()["scale"] for channel, each in found.items()}
    assert all(each["domain"] == ["a", "b"] for each in scales.values())
    assert scales["stroke"]["range"] == [palette.BLUE, palette.PINK]
    assert scales["fill"]["range"] == [palette.BLUE, "transparent"]
