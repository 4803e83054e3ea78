# SPDX-License-Identifier: Apache-2.0
"""The operator's page in a real browser beside real traffic: what it shows, and what it changes."""
