"""The loop that plays games: which games, on which workers, and when to stop.

A source of games, such as the search or the validation, gives tasks and stores the games that come
back. The dispatch hands out tasks and keeps worker processes busy. The sweep runs all phases of a
study. This folder may import `train`, `page`, `charts`, `report`, and what these may import. Worker
processes import only :mod:`study.run.worker` from this folder.
"""
