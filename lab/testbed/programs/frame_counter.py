# SPDX-License-Identifier: Apache-2.0
"""Count forged frames that come in by a device, until SIGINT.

The report is one JSON line: {kind: {"arrived": N, "forged": N}}; forged are those whose forged
field was not corrected on the path.
"""

import contextlib
import json
import socket
from pathlib import Path

from testbed.programs import clock, frames

ETH_P_ALL = 3
INCOMING = (0, 1, 2)  # PACKET_HOST, PACKET_BROADCAST, PACKET_MULTICAST
OTHER_HOST = 3
LONGEST_FRAME = 2048
TIMEOUT_SECONDS = 0.2


def main():
    """Count until the stop instant or SIGINT."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--ready-file", required=True, help="created when counting begins")
    chosen = options.parse_args()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.bind((chosen.device, 0))
    wire.settimeout(TIMEOUT_SECONDS)
    Path(chosen.ready_file).touch()
    counts = {kind: {"arrived": 0, "forged": 0} for kind in frames.KINDS}
    clock.stop_by_interrupt()
    with contextlib.suppress(KeyboardInterrupt):
        while clock.now_nanos() < chosen.stop_nanos:
            with contextlib.suppress(TimeoutError):
                frame, (_, _, packet_type, *_) = wire.recvfrom(LONGEST_FRAME)
                if packet_type in (*INCOMING, OTHER_HOST):
                    count(counts, frame)
    print(json.dumps(counts), flush=True)


def count(counts, frame):
    """Count a frame if the program `forge` sent it."""
    recognised = frames.recognise(frame)
    if recognised and recognised[0] in counts:
        kind, still = recognised
        counts[kind]["arrived"] += 1
        counts[kind]["forged"] += still is not None
    return counts


if __name__ == "__main__":
    main()
