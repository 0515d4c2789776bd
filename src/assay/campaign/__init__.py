# SPDX-License-Identifier: MIT
"""A campaign: a plan of cells, built, checked, measured and written down, resumable."""
