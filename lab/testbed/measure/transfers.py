# SPDX-License-Identifier: Apache-2.0
"""How long a transfer took, and how late it began, from its program's report."""


def took_millis(report):
    """From the SYN to the last byte; None where that did not arrive."""
    syn, last = report["synNanos"], report["lastByteNanos"]
    return None if syn is None or last is None else (last - syn) / 1e6


def late_millis(report, planned_nanos):
    """How long after the planned instant its SYN was sent; None where it was not."""
    syn = report["synNanos"]
    return None if syn is None else (syn - planned_nanos) / 1e6
