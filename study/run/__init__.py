"""The loop that plays games: which games, on which workers, and when to stop.

A source (search, validation, rows of a reproduction) hands out tasks and stores the games that come
back; the dispatch keeps worker processes busy; the sweep runs all phases of a study. This folder
may import `report` and what `report` may import; worker processes import only
:mod:`study.run.worker`.
"""
