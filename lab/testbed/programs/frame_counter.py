# SPDX-License-Identifier: Apache-2.0
"""Count forged frames that come in by a device, until SIGINT.

The report is one JSON line: {kind: {"arrived": N, "forged": N}}; forged are those whose forged
field was not corrected on the path.
"""

from testbed.programs import frames, incoming


def count(counts, frame):
    """Count a frame if the program `forge` sent it."""
    recognised = frames.recognise(frame)
    if recognised and recognised[0] in counts:
        kind, still = recognised
        counts[kind]["arrived"] += 1
        counts[kind]["forged"] += still is not None
    return counts


if __name__ == "__main__":
    incoming.report_counts(
        __doc__, {kind: {"arrived": 0, "forged": 0} for kind in frames.KINDS}, count
    )
