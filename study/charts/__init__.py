"""Charts of studies: each is computed once, and drawn for a page, a notebook or a PNG file.

For each chart, a function makes a :class:`study.charts.chart.Chart`: axes, marks, texts, and a
table of numbers. :mod:`study.charts.vega` draws a chart for a page or a notebook, and
:mod:`study.charts.picture` draws it as a PNG file. Both draw the same numbers and texts.
"""
