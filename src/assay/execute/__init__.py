# SPDX-License-Identifier: MIT
"""Running what was built: the jail, the targets, and the conversation with an agent."""
