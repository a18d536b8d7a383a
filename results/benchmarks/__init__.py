"""Benchmarks of the engine's speed, of samplers and certificates, of programs and of clusters."""
