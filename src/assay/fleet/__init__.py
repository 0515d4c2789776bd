# SPDX-License-Identifier: MIT
"""Many machines: the queue and its engines, workers, and bundles of results."""
