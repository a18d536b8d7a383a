"""Checks of stored results: games are replayed from their seeds, and a damaged log is rebuilt.

It reads raw rows and lines, so that it can say what is damaged. It may import all subpackages
except the command line.
"""
