# SPDX-License-Identifier: Apache-2.0
"""Waiting for a state by polling for it until a deadline, never by a fixed delay."""

import time

from testbed.system.errors import LabError


def until(condition, what, *, timeout_seconds, interval_seconds=0.05):
    """Poll condition() until it returns something true, and return that.

    A LabError or OSError means "not yet"; the last one is part of the message of the LabError that
    is raised after timeout_seconds.
    """
    deadline = time.monotonic() + timeout_seconds
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except (LabError, OSError) as not_yet:
            last = not_yet
        if time.monotonic() >= deadline:
            why = f" (last: {last})" if last else ""
            raise LabError(f"timed out after {timeout_seconds:g} s waiting for {what}{why}")
        time.sleep(interval_seconds)
