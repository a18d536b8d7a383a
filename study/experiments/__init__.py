"""What studies tune: agents, search spaces, objectives; by name in :mod:`study.experiments.registry`.

One module a game defines its experiments. This room may import agents and the ground modules.
"""
