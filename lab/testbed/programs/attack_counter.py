# SPDX-License-Identifier: Apache-2.0
"""Count the frames of attacks that come in by a device, until SIGINT.

The report is one JSON line: {kind: frames}.
"""

from testbed.programs import attack_frames, incoming


def count(counts, frame):
    """Count a frame if it is an attack's."""
    kind = attack_frames.kind_of(frame)
    if kind is not None:
        counts[kind] = counts.get(kind, 0) + 1


if __name__ == "__main__":
    incoming.report_counts(__doc__, {}, count)
