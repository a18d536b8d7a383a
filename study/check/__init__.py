"""Stored results checked: values, counts and seeds, and games played again from their seeds.

It reads rows and lines as they are, so that it can say what is damaged, and mends what seeds and
the other values tell. It may import all rooms but the command line.
"""
