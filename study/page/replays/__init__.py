"""Games on a page: actions and outcomes are recorded here, and the page's script plays them again.

The script, ``static/replay.js``, knows the rules and no agent: it slides tiles, moves ghosts and
adds up points by itself, so a score that equals the record tells that a game is what it says.
"""

from thetafront.study.page.replays.recorded import Recorded, Replay, recorded, replays

__all__ = ["Recorded", "Replay", "recorded", "replays"]
