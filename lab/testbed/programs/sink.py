# SPDX-License-Identifier: Apache-2.0
"""Receive TCP and UDP on many ports and record, per port and source, the payload bytes over time.

Each line of the series file is {"tNanos": N, "bytes": {"udp/10.0.0.2/7002": cumulative, ...}}.
"""

import json
import select
import socket

from testbed.programs import clock, streams

BIN_MILLIS = 50
# Polling at intervals, instead of for every packet, saves processor time for the switches.
POLL_NANOS = 2_000_000
UDP_BUFFER_BYTES = 8 << 20
SO_RCVBUFFORCE = 33


def main():
    """Run until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--bind", nargs="+", required=True, help="own addresses")
    options.add_argument("--tcp-ports", type=int, nargs="*", default=[])
    options.add_argument("--udp-ports", type=int, nargs="*", default=[])
    options.add_argument("--series", required=True)
    options.add_argument("--bin-millis", type=int, default=BIN_MILLIS, help="between two lines")
    chosen = options.parse_args()
    with open(chosen.series, "w", encoding="utf-8", buffering=1) as series:
        sink = Sink(chosen.bind, chosen.tcp_ports, chosen.udp_ports, series, chosen.bin_millis)
        sink.serve(chosen.stop_nanos)


class Sink:
    """Counts what arrives; one thread, one poll set."""

    def __init__(self, own_addresses, tcp_ports, udp_ports, series, bin_millis=BIN_MILLIS):
        self.series = series
        self.bin_nanos = bin_millis * 1_000_000
        self.received = {}
        self.poll = select.epoll()
        self.handlers = {}
        self.buffer = bytearray(1 << 18)
        for address in own_addresses:
            self._listen(address, tcp_ports, udp_ports)
        series.write("{}\n")  # it is ready

    def _listen(self, address, tcp_ports, udp_ports):
        family = clock.family(address)
        for port in tcp_ports:
            listener = socket.create_server((address, port), family=family, backlog=16)
            listener.setblocking(False)
            self._register(listener, lambda s=listener, p=port: self._accept(s, p))
        for port in udp_ports:
            receiver = socket.socket(family, socket.SOCK_DGRAM)
            receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, UDP_BUFFER_BYTES)
            receiver.bind((address, port))
            receiver.setblocking(False)
            self._register(receiver, lambda s=receiver, p=port: self._datagrams(s, p))

    def _register(self, sock, handler):
        self.handlers[sock.fileno()] = (sock, handler)
        self.poll.register(sock.fileno(), select.EPOLLIN)

    def _close(self, sock):
        self.poll.unregister(sock.fileno())
        del self.handlers[sock.fileno()]
        sock.close()

    def _accept(self, listener, port):
        connection, (source, *_) = listener.accept()
        connection.setblocking(False)
        key = f"tcp/{source}/{port}"
        self._register(connection, lambda: self._stream(connection, key))

    def _stream(self, connection, key):
        count = len(self.buffer)
        while count == len(self.buffer):
            count = streams.receive_into(connection, self.buffer)
            if count:
                self.received[key] = self.received.get(key, 0) + count
        if count == 0:
            self._close(connection)

    def _datagrams(self, receiver, port):
        while True:
            try:
                count, (source, *_) = receiver.recvfrom_into(self.buffer)
            except BlockingIOError:
                return
            key = f"udp/{source}/{port}"
            self.received[key] = self.received.get(key, 0) + count

    def serve(self, stop_nanos):
        """Count until the stop instant, writing one line per bin."""
        next_line = clock.now_nanos()
        while True:
            self._receive_all()
            now = clock.now_nanos()
            if now >= next_line:
                self.series.write(json.dumps({"tNanos": now, "bytes": self.received}) + "\n")
                next_line = now + self.bin_nanos
            if now >= stop_nanos:
                return
            clock.sleep_until(min(next_line, now + POLL_NANOS))

    def _receive_all(self):
        for descriptor, _ in self.poll.poll(0):
            if descriptor in self.handlers:
                self.handlers[descriptor][1]()


if __name__ == "__main__":
    main()
