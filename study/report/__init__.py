"""The results of a study: tables, figures, recommendations and comparisons.

Everything is made from one snapshot of a study (:mod:`study.log.study_data`). This room may import
the log and what lies below it.
"""
