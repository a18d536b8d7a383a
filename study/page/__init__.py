"""A study on one page: an HTML file that needs no network, with interactive charts.

Everything is made from one snapshot of a study (:class:`study.log.study_data.StudyData`), and from
the snapshot's tables and models. Vega draws the charts of ``charts``; the page's own script is in
``static/``.
"""
