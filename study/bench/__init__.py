"""Benchmarks: the speed of engine and agents (`make bench`), and samplers on simulated studies.

A rate is the median over rounds in which all kernels take turns; machines differ and are noisy, so
quote ratios of two rates of one run. May import `run` and the rooms below it, not `reproduce`.
"""
