"""The loop that plays games: which games, on which workers, and when to stop.

A source (search, validation, rows of a reproduction) hands out tasks and stores the games that come
back; the dispatch keeps worker processes busy; the sweep runs all phases of a study. This room may
import reports and what lies below them; worker processes import :mod:`study.run.worker` alone.
"""
