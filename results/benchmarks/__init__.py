"""Benchmarks: the speed of the engine, samplers and rules on simulated studies, clusters."""
