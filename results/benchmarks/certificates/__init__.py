"""Certificates of simulated studies compared with the truth: README.md has what they say."""
