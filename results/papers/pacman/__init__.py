"""Verghese's report on Pacman (2018), played again: its figures 2 to 7, and its claims."""
