"""How many games make a trial: the paper's binomial example exactly, and the same with real games.

Source: Ripstein (2023), §5.1, *Parameter Optimization*.
"""
