# SPDX-License-Identifier: MIT
"""One static site from any number of results folders: pages as functions of an index."""
