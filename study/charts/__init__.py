"""Charts: what each shows is computed once, and drawn for a page, a notebook or a picture.

Each chart has a module with one function that makes a :class:`study.charts.chart.Chart` of a study:
axes, marks, texts, and a table of its numbers. :mod:`study.charts.vega` draws it for a page or a
notebook, :mod:`study.charts.picture` as a PNG. So a page and a picture never contradict each other.
"""
