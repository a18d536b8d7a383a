"""Training of networks: games in threads, checkpoints, budgets.

This package may import `log`, the top-level modules of `study`, and `agents`.
"""
