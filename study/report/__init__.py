"""The results of a study: tables, figures, recommendations and comparisons.

Everything is made from one snapshot of a study (:mod:`study.log.study_data`). This subpackage may
import `log` and the layers below it.
"""
