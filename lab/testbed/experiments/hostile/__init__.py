# SPDX-License-Identifier: Apache-2.0
"""Hostile virtual machines against a running system, and what is left of their victims' shares."""
