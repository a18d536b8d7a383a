"""Subjects of studies: agents, search spaces, objectives.

See :mod:`study.experiments.registry`. This room may import agents and the ground modules.
"""
