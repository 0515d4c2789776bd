# SPDX-License-Identifier: MIT
"""What programs of continuous integration read: verdicts at lines of source, and figures."""
