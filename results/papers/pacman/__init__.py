"""Verghese's report on Pacman (2018), reproduced: its figures 1 to 7, and its claims."""
