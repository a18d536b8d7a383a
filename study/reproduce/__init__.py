"""Reproductions: what a source reports, plans or conjectures, played again with 95% intervals.

A source is a module or a folder. Its ``reproduce`` function takes a folder of games
(:mod:`study.reproduce.reproduction`), the seeds and the command's options for the manifest, plays
what is missing, and writes tables, text and figures. May import every room of `study` but `cli`.
"""
