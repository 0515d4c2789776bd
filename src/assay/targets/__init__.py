# SPDX-License-Identifier: MIT
"""Where code can run, and what of that is installed here."""
