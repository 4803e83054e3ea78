# SPDX-License-Identifier: Apache-2.0
"""Measured figures in documents and tables, which may be missing."""


def rounded(value, digits=3):
    """For a document; None stays None."""
    return None if value is None else round(value, digits)


def shown(value, digits=1):
    """For a table; a dash for None."""
    return "-" if value is None else f"{value:.{digits}f}"


def ratio(value, reference):
    """A part of something; None where either was not measured, or the latter is 0."""
    return None if value is None or not reference else value / reference
