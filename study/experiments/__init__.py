"""What studies tune: agents, search spaces, objectives; see :mod:`study.experiments.registry`.

One module a game defines its experiments. This room may import agents and the ground modules.
"""
