# SPDX-License-Identifier: Apache-2.0
"""How long requests took."""


def request_times(flows, stop_nanos):
    """(milliseconds of each flow, how many were not answered) from the reports of flows."""
    ends = [each["lastByteNanos"] for each in flows]
    times = [
        ((stop_nanos if end is None else end) - each["synNanos"]) / 1e6
        for each, end in zip(flows, ends, strict=True)
    ]
    return times, ends.count(None)
