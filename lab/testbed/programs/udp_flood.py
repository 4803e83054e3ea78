# SPDX-License-Identifier: Apache-2.0
"""A UDP sender without congestion control: full-size datagrams at a fixed rate of frame bytes.

With --on-millis and --off-millis it sends in bursts, so that every burst finds an empty queue.
"""

import ctypes
import socket

from testbed.programs import clock

FRAME_BYTES = 1514
# What is left of a full frame after the headers of Ethernet, IP and UDP.
PAYLOAD_BYTES = {
    socket.AF_INET: FRAME_BYTES - 14 - 20 - 8,
    socket.AF_INET6: FRAME_BYTES - 14 - 40 - 8,
}
TICK_NANOS = 1_000_000
SOL_UDP, UDP_SEGMENT = 17, 103
LIBC = ctypes.CDLL("libc.so.6", use_errno=True)


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class _Header(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("vectors", ctypes.POINTER(_Vector)),
        ("vector_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class _Message(ctypes.Structure):
    _fields_ = (("header", _Header), ("sent", ctypes.c_uint32))


class BatchSender:
    """Sends many equal datagrams in one system call: Python alone would need a core for this."""

    LARGEST = 64

    def __init__(self, connected_socket, segments=1):
        self.segments = segments
        self._descriptor = connected_socket.fileno()
        size = PAYLOAD_BYTES[connected_socket.family]
        if segments > 1:
            connected_socket.setsockopt(SOL_UDP, UDP_SEGMENT, size)
            size *= segments
        self._payload = ctypes.create_string_buffer(size)
        self._vector = _Vector(ctypes.addressof(self._payload), size)
        self._messages = (_Message * self.LARGEST)()
        for message in self._messages:
            message.header.vectors = ctypes.pointer(self._vector)
            message.header.vector_count = 1

    def send(self, count):
        """Offer count datagrams (at most LARGEST); what the system refuses is lost."""
        LIBC.sendmmsg(self._descriptor, self._messages, min(count, self.LARGEST), 0)


def main():
    """Flood until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--rate-mbps", type=float, required=True, help="of frames on the wire")
    options.add_argument(
        "--segments", type=int, default=1, help="frames that the kernel makes of one datagram (1)"
    )
    options.add_argument("--on-millis", type=int, default=0, help="0: without pause")
    options.add_argument("--off-millis", type=int, default=0)
    chosen = options.parse_args()
    sender = socket.socket(clock.family(chosen.to), socket.SOCK_DGRAM)
    sender.connect((chosen.to, chosen.port))
    clock.sleep_until(chosen.start_nanos)
    while clock.now_nanos() < chosen.stop_nanos:
        pause_at = chosen.stop_nanos
        if chosen.on_millis:
            pause_at = min(pause_at, clock.now_nanos() + chosen.on_millis * 1_000_000)
        flood(BatchSender(sender, chosen.segments), chosen.rate_mbps, pause_at)
        if chosen.on_millis:
            clock.sleep_until(
                min(chosen.stop_nanos, clock.now_nanos() + chosen.off_millis * 1_000_000)
            )


def flood(batches, rate_mbps, stop_nanos):
    """Send at a constant rate; a late wake-up is made good up to one batch."""
    frames_per_nano = rate_mbps / 8e3 / FRAME_BYTES / batches.segments
    begun = clock.now_nanos()
    sent = 0
    while (now := clock.now_nanos()) < stop_nanos:
        due = int((now - begun) * frames_per_nano) - sent
        if due > 0:
            batches.send(due)
            sent += due
        clock.sleep_until(now + TICK_NANOS)


if __name__ == "__main__":
    main()
