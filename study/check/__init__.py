"""Checks of stored results: games are replayed from their seeds, and a damaged log is rebuilt.

These modules read raw rows and lines, so that they can say what is damaged. They may import all
other subpackages of ``study`` except ``cli`` and ``compare``.
"""
