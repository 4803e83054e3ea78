# SPDX-License-Identifier: Apache-2.0
"""Count forged frames that come in by a device, until SIGINT.

The report is one JSON line: {kind: {"arrived": N, "forged": N}}; forged are those that arrived with
what had been forged about them.
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
TURN_SECONDS = 0.2


def main():
    """Watch until the stop instant or SIGINT."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--ready-file", required=True, help="made once it watches")
    chosen = options.parse_args()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.bind((chosen.device, 0))
    wire.settimeout(TURN_SECONDS)
    Path(chosen.ready_file).touch()
    seen = {kind: {"arrived": 0, "forged": 0} for kind in frames.KINDS}
    with contextlib.suppress(KeyboardInterrupt):
        while clock.now_nanos() < chosen.stop_nanos:
            with contextlib.suppress(TimeoutError):
                frame, (_, _, packet_type, *_) = wire.recvfrom(LONGEST_FRAME)
                if packet_type in (*INCOMING, OTHER_HOST):
                    count(seen, frame)
    print(json.dumps(seen), flush=True)


def count(seen, frame):
    """Enter a frame, if it is one of ours."""
    recognised = frames.recognise(frame)
    if recognised and recognised[0] in seen:
        kind, still = recognised
        seen[kind]["arrived"] += 1
        seen[kind]["forged"] += still is not None
    return seen


if __name__ == "__main__":
    main()
