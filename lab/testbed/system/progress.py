# SPDX-License-Identifier: Apache-2.0
"""Progress lines for the user: what happens, and how long it will take."""

import sys
import time


class Progress:
    """Lines with the time gone and, as far as known, the time left."""

    def __init__(self, expected_seconds, stream=None):
        self._begun = time.monotonic()
        self._expected_seconds = expected_seconds
        self._stream = stream or sys.stderr

    def expect(self, remaining_seconds):
        """Correct the estimate: this much remains from now on."""
        self._expected_seconds = time.monotonic() - self._begun + remaining_seconds

    def log(self, text):
        """Print one line of progress."""
        gone = time.monotonic() - self._begun
        left = max(0, self._expected_seconds - gone)
        print(f"[{gone:4.0f} s, about {left:3.0f} s left] {text}", file=self._stream, flush=True)
