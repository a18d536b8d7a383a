"""Charts of a page: each module has one function that makes a figure of a study's numbers.

Data are embedded once, rounded, under short field names: a parameter may be called anything, and a
chart's expressions must not meet its name. Rows of many games are counted here, not in the page.
"""
