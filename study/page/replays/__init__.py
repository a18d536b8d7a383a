"""Games on a page: they are replayed here, and the page's script shows what was recorded."""

from thetafront.study.page.replays.recorded import Recorded, recorded

__all__ = ["Recorded", "recorded"]
