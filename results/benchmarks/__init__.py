"""Benchmarks: the speed of the engine, samplers and rules on simulated studies, clusters.

A rate is the median over rounds in which all kernels take turns; machines differ and are noisy, so
quote ratios of two rates of one run.
"""
