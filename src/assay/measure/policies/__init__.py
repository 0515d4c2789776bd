# SPDX-License-Identifier: MIT
"""Who is launched next, and with which task."""
