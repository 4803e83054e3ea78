# SPDX-License-Identifier: Apache-2.0
"""Count the frames of attacks that come in by a device, until SIGINT.

The report is one JSON line: {kind: frames}.
"""

import contextlib
import json
import socket
from pathlib import Path

from testbed.programs import attack_frames, clock

ETH_P_ALL = 0x0003
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
LONGEST_FRAME = 2048
TIMEOUT_SECONDS = 0.2


def main():
    """Count until the stop instant or SIGINT."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--ready-file", required=True, help="created when counting begins")
    chosen = options.parse_args()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    wire.bind((chosen.device, 0))
    wire.settimeout(TIMEOUT_SECONDS)
    Path(chosen.ready_file).touch()
    counts = {}
    clock.stop_by_interrupt()
    with contextlib.suppress(KeyboardInterrupt):
        while clock.now_nanos() < chosen.stop_nanos:
            with contextlib.suppress(TimeoutError):
                kind = attack_frames.kind_of(wire.recv(LONGEST_FRAME))
                if kind is not None:
                    counts[kind] = counts.get(kind, 0) + 1
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main()
