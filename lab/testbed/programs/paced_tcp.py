# SPDX-License-Identifier: Apache-2.0
"""One TCP connection that the kernel paces; one JSON line with its rate at the end."""

import contextlib
import json
import socket

from testbed.programs import clock

CHUNK = bytes(1 << 18)
SO_MAX_PACING_RATE = 47


def main():
    """Send from the start instant to the stop instant or SIGINT."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--rate-mbps", type=float, required=True)
    chosen = options.parse_args()
    sender = socket.socket(clock.family(chosen.to), socket.SOCK_STREAM)
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, chosen.congestion_control.encode())
    sender.setsockopt(
        *(socket.SOL_SOCKET, SO_MAX_PACING_RATE),
        int(chosen.rate_mbps * 1e6 / 8).to_bytes(8, "little"),
    )
    clock.sleep_until(chosen.start_nanos)
    begun = clock.now_nanos()
    sender.connect((chosen.to, chosen.port))
    sent = 0
    clock.stop_by_interrupt()
    with contextlib.suppress(KeyboardInterrupt):
        while clock.now_nanos() < chosen.stop_nanos:
            sent += sender.send(CHUNK)
    mbps = 8e3 * sent / (clock.now_nanos() - begun)
    print(json.dumps({"mbps": mbps}), flush=True)


if __name__ == "__main__":
    main()
