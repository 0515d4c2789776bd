# SPDX-License-Identifier: MIT
"""The reports of eBACS: tables per operation and size, graphs, best options, machines."""
