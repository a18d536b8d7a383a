"""What a trial's numbers are."""

from thetafront.study.log.seeds import game_seed, search_seed, validation_seed


def test_no_two_games_share_a_seed() -> None:
    """Not of two studies, of two trials, of two points, or of a search and its validation."""
    assert game_seed(7, 3) == 7_000_003
    assert search_seed(7, 12, 3) == 7_012_003
    assert validation_seed(7, 2, 3) == 7_540_003
    seeds = [search_seed(study, t, r) for study in range(3) for t in range(500) for r in range(20)]
    seeds += [validation_seed(s, p, r) for s in range(3) for p in range(25) for r in range(1000)]
    assert len(set(seeds)) == len(seeds)


def test_seeds_come_again_rather_than_leave_their_half() -> None:
    assert search_seed(1, 499, 1_000) == search_seed(1, 0, 0) == 1_000_000
    assert search_seed(1, 500, 3) == search_seed(1, 0, 53) == 1_000_053
    assert validation_seed(1, 25, 3) == validation_seed(1, 0, 1003) == 1_501_003
    assert len({search_seed(1, t, r) for t in range(10_000) for r in range(50)}) == 500_000
    assert len({validation_seed(1, p, r) for p in range(500) for r in range(1000)}) == 500_000
    assert len({validation_seed(1, 24, r) for r in range(400_000)}) == 400_000
    assert max(validation_seed(1, 24, r) for r in range(400_000)) < 2_000_000
