# SPDX-License-Identifier: Apache-2.0
"""Errors that the testbed reports to its user in one line."""


class LabError(Exception):
    """The experiment cannot run or go on; the message gives the reason and the remedy."""
