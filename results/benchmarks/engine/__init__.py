"""The speed of kernels and agents, compared with C programs: ``make bench``."""
