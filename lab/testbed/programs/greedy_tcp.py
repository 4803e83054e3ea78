# SPDX-License-Identifier: Apache-2.0
"""Several endless TCP connections from one process, and the kernel's state of each.

The report is one JSON line {"connections": [...]}: payload bytes that were acknowledged between the
judged instants, and of the whole connection what was sent again, how often its timer expired, and
how many of its packets arrived with CE.
"""

import contextlib
import json
import select
import socket
import struct

from testbed.programs import clock, tcp_send

CHUNK = bytes(1 << 16)
BYTES_ACKED_OFFSET = 120  # in struct tcp_info, 64 bits
DELIVERED_CE_OFFSET = 196
CONTROL_NAME_BYTES = 16
CONNECT_SECONDS = 5


def main():
    """Connect at the start instant, send until the stop instant, then reset all connections."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--connections", type=int, required=True)
    options.add_argument("--judged-from-nanos", type=int, required=True)
    options.add_argument("--judged-until-nanos", type=int, required=True)
    chosen = options.parse_args()
    clock.sleep_until(chosen.start_nanos)
    print(json.dumps({"connections": send(chosen)}), flush=True)


def send(chosen):
    """Do the sending; returns the connections' part of the report."""
    with contextlib.ExitStack() as open_sockets:
        senders = [
            open_sockets.enter_context(_connected(chosen)) for _ in range(chosen.connections)
        ]
        _send_until(senders, chosen.judged_from_nanos)
        before = [acknowledged_bytes(sender) for sender in senders]
        begun = clock.now_nanos()
        _send_until(senders, chosen.judged_until_nanos)
        after = [acknowledged_bytes(sender) for sender in senders]
        seconds = (clock.now_nanos() - begun) / 1e9
        _send_until(senders, chosen.stop_nanos)
        return [
            {
                "congestionControl": _control_of(sender),
                "mbps": (late - early) * 8e-6 / seconds,
                "retransmits": tcp_send.retransmits(sender),
                "timeouts": tcp_send.timeouts(sender),
                "deliveredCe": struct.unpack_from("I", _info(sender), DELIVERED_CE_OFFSET)[0],
            }
            for sender, early, late in zip(senders, before, after, strict=True)
        ]


def _connected(chosen):
    sender = socket.socket(clock.family(chosen.to), socket.SOCK_STREAM)
    control = chosen.congestion_control.encode()
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
    # What is unsent at the end must not be sent during the next measurement.
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sender.settimeout(CONNECT_SECONDS)
    sender.connect((chosen.to, chosen.port))
    sender.setblocking(False)
    return sender


def _send_until(senders, instant):
    poll = select.poll()
    by_descriptor = {sender.fileno(): sender for sender in senders}
    for descriptor in by_descriptor:
        poll.register(descriptor, select.POLLOUT)
    while (remaining := instant - clock.now_nanos()) > 0:
        for descriptor, _ in poll.poll(remaining / 1e6):
            with contextlib.suppress(BlockingIOError):
                by_descriptor[descriptor].send(CHUNK)


def acknowledged_bytes(sender):
    """How much of what a connection has sent was acknowledged."""
    return struct.unpack_from("Q", _info(sender), BYTES_ACKED_OFFSET)[0]


def _info(sender):
    return sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, tcp_send.INFO_BYTES)


def _control_of(sender):
    name = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONTROL_NAME_BYTES)
    return name.split(b"\0")[0].decode()


if __name__ == "__main__":
    main()
