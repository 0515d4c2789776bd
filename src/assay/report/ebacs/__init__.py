# SPDX-License-Identifier: MIT
"""Reports of operations as eBACS has them: tables, graphs, best options, machines."""
