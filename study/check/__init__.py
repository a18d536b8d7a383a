"""Checks of stored results: games are replayed from their seeds, and a damaged log is rebuilt.

It reads rows and lines as they are, so that it can say what is damaged. It may import all rooms but
the command line.
"""
