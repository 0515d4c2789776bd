# SPDX-License-Identifier: MIT
"""From a package and a configuration to an agent: compile, link, know identical code."""
