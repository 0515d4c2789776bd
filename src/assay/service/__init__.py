# SPDX-License-Identifier: MIT
"""The site, alive: accounts, submissions and their states, the API and its pages."""
