"""The engine's figures: rates per CPU second, measured in turns in one run, and ratios between them.

Machines differ and are noisy. A rate is the median over several rounds; the rounds of all kernels take
turns; what is worth quoting is a ratio of two rates of the same run.
"""
