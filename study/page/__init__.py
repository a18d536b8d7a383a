"""A study on one page: an HTML file that needs no network, with interactive charts.

Everything is made from one snapshot of a study (:class:`study.log.study_data.StudyData`), its
tables and its models. Charts are Altair's, the page's own script is in ``static/``. This room may
import ``report`` and what lies below it.
"""
