# SPDX-License-Identifier: Apache-2.0
"""Receive transfers, and answer each with the instant of its last byte's arrival.

A transfer begins with its size, 8 bytes, most significant first, which counts as part of it. The
answer is one JSON line {"lastByteNanos": N} of CLOCK_MONOTONIC.
"""

import contextlib
import json
import select
import socket
import struct

from testbed.programs import clock, streams

SIZE = struct.Struct("!Q")
BUFFER_BYTES = 1 << 18


def main():
    """Run until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--bind", required=True, help="own address")
    options.add_argument("--ports", type=int, nargs="+", required=True)
    chosen = options.parse_args()
    Receiver(chosen.bind, chosen.ports).serve(chosen.stop_nanos)


class Transfer:
    """What was received by a connection."""

    def __init__(self):
        self.head = b""
        self.left = SIZE.size

    def count(self, received):
        """Count what was received; returns whether the transfer is complete."""
        self.left -= len(received)
        if len(self.head) < SIZE.size:
            begins = len(self.head)
            self.head += bytes(received[: SIZE.size - begins])
            if len(self.head) == SIZE.size:
                self.left += SIZE.unpack(self.head)[0] - SIZE.size
        return self.left <= 0 and len(self.head) == SIZE.size


class Receiver:
    """Receives transfers with one thread, one poll set and one buffer, to save processor time."""

    def __init__(self, own_address, ports):
        self.poll = select.epoll()
        self.listeners = {}
        self.connections = {}
        self.buffer = memoryview(bytearray(BUFFER_BYTES))
        for port in ports:
            listener = socket.create_server((own_address, port), family=clock.family(own_address))
            self.listeners[listener.fileno()] = listener
            self.poll.register(listener.fileno(), select.EPOLLIN)

    def serve(self, stop_nanos):
        """Receive until the stop instant."""
        while (remaining := stop_nanos - clock.now_nanos()) > 0:
            for descriptor, _ in self.poll.poll(remaining / 1e9):
                if descriptor in self.listeners:
                    self._accept(self.listeners[descriptor])
                else:
                    self._receive(descriptor)

    def _accept(self, listener):
        connection, _ = listener.accept()
        connection.setblocking(False)
        self.connections[connection.fileno()] = (connection, Transfer())
        self.poll.register(connection.fileno(), select.EPOLLIN)

    def _receive(self, descriptor):
        connection, transfer = self.connections[descriptor]
        count = streams.receive_into(connection, self.buffer)
        if count is None:
            return
        done = transfer.count(self.buffer[:count])
        if done:
            answer = json.dumps({"lastByteNanos": clock.now_nanos()}) + "\n"
            with contextlib.suppress(OSError):  # its sender no longer waits for it
                connection.sendall(answer.encode())
        if done or count == 0:
            self.poll.unregister(descriptor)
            del self.connections[descriptor]
            connection.close()


if __name__ == "__main__":
    main()
