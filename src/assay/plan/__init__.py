# SPDX-License-Identifier: MIT
"""What a campaign will do, decided before anything runs."""
