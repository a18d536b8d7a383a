"""The speed of kernels and agents, beside C programs: ``make bench``."""
