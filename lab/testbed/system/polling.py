# SPDX-License-Identifier: Apache-2.0
"""Waiting for a state by asking for it, never by hoping that some time is enough."""

import time

from testbed.system.errors import LabError


def until(condition, what, *, timeout_seconds, interval_seconds=0.05):
    """Poll condition() until it returns something true, and return that.

    An exception of the kind LabError or OSError counts as "not yet"; the last one is named in the
    LabError raised after timeout_seconds.
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
            raise LabError(f"waited {timeout_seconds:g} s in vain for {what}{why}")
        time.sleep(interval_seconds)
