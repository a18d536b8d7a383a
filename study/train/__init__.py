"""Training of networks: games in threads, checkpoints, budgets.

This package may import `agents`, `log`, and the modules directly in `study`.
"""
