# SPDX-License-Identifier: MIT
"""What the formats of reports are called; commands that print no report need no more of them."""

TERMINAL = "terminal"  # laid out for a console, which has a width
CHARTS = ("svg", "pdf")  # the picture of a table
FORMS = (TERMINAL, "csv", "json", "latex", "markdown", "html")
ANNOTATIONS, SUMMARY = "annotations", "summary"
VERDICT_FORMS = ("junit", "sarif", ANNOTATIONS)
FIGURE_FORMS = ("benchfmt", "bencher", "benchmark-action", "openmetrics")
FILE_FORMS = (*FORMS[1:], *VERDICT_FORMS, SUMMARY, *FIGURE_FORMS)
