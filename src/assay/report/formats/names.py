# SPDX-License-Identifier: MIT
"""What the formats of reports are called; commands that print no report need no more of them."""

TERMINAL = "terminal"  # laid out for a console, which has a width
CHARTS = ("svg", "pdf")  # the picture of a table
FORMS = (TERMINAL, "csv", "json", "latex", "markdown", "html")
