# SPDX-License-Identifier: Apache-2.0
"""ICMP echo at fixed instants, answered by the other machine's kernel.

The report is one JSON line: {"requests": N, "samples": [[instant of the request, milliseconds],
...]}.
"""

import contextlib
import json
import os
import socket
import struct
from pathlib import Path

from testbed.programs import clock

# By family: protocol, and the types of request and reply (RFC 792, RFC 4443).
PROTOCOLS = {
    socket.AF_INET: (socket.IPPROTO_ICMP, 8, 0),
    socket.AF_INET6: (socket.IPPROTO_ICMPV6, 128, 129),
}
HEADER = struct.Struct("!BBHHH")
STAMP = struct.Struct("!Q")


def main():
    """Send requests until the stop instant or SIGINT."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--interval-millis", type=float, default=20.0)
    options.add_argument("--ready-file", help="created with the first answer")
    options.add_argument("--for-millis", type=float, help="end so long after the program's start")
    chosen = options.parse_args()
    clock.sleep_until(chosen.start_nanos)
    stop_nanos = chosen.stop_nanos
    if chosen.for_millis is not None:
        # Starting the program alone may take longer than that on a busy machine.
        stop_nanos = min(stop_nanos, clock.now_nanos() + int(chosen.for_millis * 1e6))
    report = ping(chosen.to, chosen.interval_millis, stop_nanos, chosen.ready_file)
    print(json.dumps(report), flush=True)


def ping(address, interval_millis, stop_nanos, ready_file=None):
    """Send requests at fixed instants and receive answers in between; returns the report."""
    family = clock.family(address)
    protocol, request_type, _ = PROTOCOLS[family]
    client = socket.socket(family, socket.SOCK_RAW, protocol)
    client.connect((address, 0))
    identifier = os.getpid() & 0xFFFF
    samples = []
    requests = 0
    next_request = clock.now_nanos()
    clock.stop_by_interrupt()
    with contextlib.suppress(KeyboardInterrupt):
        while next_request < stop_nanos:
            _collect(client, identifier, next_request, samples)
            if samples and ready_file:
                Path(ready_file).touch()
                ready_file = None
            with contextlib.suppress(OSError):  # counted as lost: a request without an answer
                client.send(_request(request_type, identifier, requests & 0xFFFF))
            requests += 1
            next_request += int(interval_millis * 1e6)
    _collect(client, identifier, clock.now_nanos() + 200_000_000, samples)
    return {"requests": requests, "samples": samples}


def _request(request_type, identifier, sequence):
    """An echo request; ICMPv6's checksum covers addresses, and the kernel writes it."""
    payload = STAMP.pack(clock.now_nanos())
    blank = HEADER.pack(request_type, 0, 0, identifier, sequence) + payload
    return HEADER.pack(request_type, 0, checksum(blank), identifier, sequence) + payload


def checksum(data):
    """The internet checksum (RFC 1071) of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _collect(client, identifier, until_nanos, samples):
    while (remaining := until_nanos - clock.now_nanos()) > 0:
        client.settimeout(remaining / 1e9)
        try:
            packet = client.recv(256)
        except OSError:
            continue
        # A raw socket shows the IP header of IPv4 alone.
        header_bytes = (packet[0] & 0xF) * 4 if client.family == socket.AF_INET else 0
        kind, _, _, its_identifier, _ = HEADER.unpack_from(packet, header_bytes)
        _, _, reply_type = PROTOCOLS[client.family]
        if kind == reply_type and its_identifier == identifier:
            (sent,) = STAMP.unpack_from(packet, header_bytes + HEADER.size)
            samples.append([sent, (clock.now_nanos() - sent) / 1e6])


if __name__ == "__main__":
    main()
