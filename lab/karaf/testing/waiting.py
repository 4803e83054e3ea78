# SPDX-License-Identifier: Apache-2.0
"""Waiting for what takes its time."""

import time
from collections.abc import Callable
from typing import Any


def eventually(what: str, poll: Callable[[], Any], seconds: float) -> Any:
    """Returns the first true value of `poll`; fails with its last one at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = poll()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s, last value: {value!r}"
        time.sleep(0.1)
