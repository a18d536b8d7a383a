"""Certificates of simulated studies compared with the truth; README.md explains them."""
