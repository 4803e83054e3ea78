# SPDX-License-Identifier: Apache-2.0
"""Send so many bytes by TCP; the report has the instants of the SYN, the first and the last byte.

{"synNanos": N, "firstByteNanos": N, "lastByteNanos": N, "retransmits": N, "timeouts": N}: the first
byte leaves, the last one arrives. A byte's is null where the stop instant came first, timeouts'
where the kernel does not count them (before Linux 6.7).
"""

import json
import socket
import struct

from testbed.programs import arrivals, clock, tcp_send

CHUNK = bytes(1 << 16)


def main():
    """Connect at the start instant and send."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--bytes", type=int, required=True, help="from 8 up")
    chosen = options.parse_args()
    clock.sleep_until(chosen.start_nanos)
    print(json.dumps(send(chosen)), flush=True)


def send(chosen, begin_nanos=0, *, no_delay=False):
    """Connect, and send from an instant on; returns the report.

    no_delay: the end of it does not wait for an acknowledgement (TCP_NODELAY).
    """
    report = dict.fromkeys(("synNanos", "firstByteNanos", "lastByteNanos"))
    report |= {"retransmits": None, "timeouts": None}
    with socket.socket(clock.family(chosen.to), socket.SOCK_STREAM) as sender:
        control = chosen.congestion_control.encode()
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, no_delay)
        sender.settimeout(max(0.1, (chosen.stop_nanos - clock.now_nanos()) / 1e9))
        report["synNanos"] = clock.now_nanos()
        try:
            sender.connect((chosen.to, chosen.port))
            clock.sleep_until(begin_nanos)
            report["firstByteNanos"] = clock.now_nanos()
            _send_all(sender, chosen.bytes, chosen.stop_nanos)
            sender.settimeout(max(0.001, (chosen.stop_nanos - clock.now_nanos()) / 1e9))
            with sender.makefile() as answers:
                report["lastByteNanos"] = json.loads(answers.readline())["lastByteNanos"]
        except (OSError, ValueError) as failure:
            report["error"] = str(failure) or type(failure).__name__
        report["retransmits"] = tcp_send.retransmits(sender)
        report["timeouts"] = tcp_send.timeouts(sender)
        # What is unsent must not be sent during the next measurement.
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return report


def _send_all(sender, size, stop_nanos):
    left = size - arrivals.SIZE.size
    # With what follows: a segment of its own would take a place in the window.
    sender.sendall(arrivals.SIZE.pack(size), socket.MSG_MORE if left else 0)
    while left > 0:
        sender.settimeout(max(0.001, (stop_nanos - clock.now_nanos()) / 1e9))
        left -= sender.send(CHUNK[: min(left, len(CHUNK))])


if __name__ == "__main__":
    main()
