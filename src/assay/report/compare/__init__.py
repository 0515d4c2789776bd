# SPDX-License-Identifier: MIT
"""Two sides compared: implementations, configurations, campaigns, machines, commits."""
