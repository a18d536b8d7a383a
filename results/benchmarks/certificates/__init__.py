"""Certificates of simulated studies, compared with the truth; see README.md."""
