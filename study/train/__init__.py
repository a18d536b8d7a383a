"""Training of networks: games in threads, checkpoints, budgets.

It may import `store`, the ground modules and agents.
"""
