# SPDX-License-Identifier: Apache-2.0
"""What the programs share that count the frames which come in by a device, until SIGINT."""

import contextlib
import json
import socket
from pathlib import Path

from testbed.programs import clock

ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
LONGEST_FRAME = 2048
TIMEOUT_SECONDS = 0.2


def report_counts(description, counts, count, prepare=lambda wire: None):
    """Call `count(counts, frame)` for each until the stop instant or SIGINT; print `counts`.

    prepare: called with the packet socket before it receives anything.
    """
    options = clock.parser(description)
    options.add_argument("--device", required=True)
    options.add_argument("--ready-file", required=True, help="created when counting begins")
    chosen = options.parse_args()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    prepare(wire)
    wire.bind((chosen.device, 0))
    wire.settimeout(TIMEOUT_SECONDS)
    Path(chosen.ready_file).touch()
    clock.stop_by_interrupt()
    with contextlib.suppress(KeyboardInterrupt):
        while clock.now_nanos() < chosen.stop_nanos:
            with contextlib.suppress(TimeoutError):
                count(counts, wire.recv(LONGEST_FRAME))
    print(json.dumps(counts), flush=True)
