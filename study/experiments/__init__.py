"""What studies tune, game by game; by name in :mod:`study.experiments.registry`."""
