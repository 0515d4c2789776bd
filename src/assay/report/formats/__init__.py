# SPDX-License-Identifier: MIT
"""One module per format: each prints any report, and none knows what is in it."""
