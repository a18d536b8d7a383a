"""What a study tunes: experiments with agents, search spaces and objectives.

See :mod:`study.experiments.registry`. This folder may import `agents` and the modules directly in
`study`.
"""
