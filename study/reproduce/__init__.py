"""Reproductions: what a source reports, plans or conjectures, played again with 95% intervals.

A module or folder each: its games, tables, text and figures; :mod:`study.reproduce.reproduction`
keeps them. May import every room of `study` below it, but not `cli`.
"""
