"""Stored results checked, games played again from their seeds, and a damaged log built anew.

It reads rows and lines as they are, so that it can say what is damaged. It may import all rooms but
the command line.
"""
