"""Training of networks: games in threads, checkpoints, budgets.

It may import `log`, the top-level modules of `study`, and `agents`.
"""
