# SPDX-License-Identifier: Apache-2.0
"""A sparse request-response flow: small UDP requests, each answered at once.

The kernel stamps the answer's arrival, so that the client's own scheduling does not count. The
report is one JSON line: round trips in milliseconds with their instants, and what was lost.
"""

import contextlib
import json
import socket
import struct
import time

from testbed.programs import clock

REQUEST = struct.Struct("!Qq")
SO_TIMESTAMPNS = 35
SCM_TIMESTAMPNS = SO_TIMESTAMPNS


def main():
    """Answer (--answer-on ADDRESS) or send requests (--to ADDRESS) until the stop instant."""
    options = clock.parser(__doc__)
    role = options.add_mutually_exclusive_group(required=True)
    role.add_argument("--answer-on")
    role.add_argument("--to")
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--interval-millis", type=float, default=5.0)
    chosen = options.parse_args()
    if chosen.answer_on:
        answer(chosen.answer_on, chosen.port, chosen.stop_nanos)
    else:
        clock.sleep_until(chosen.start_nanos)
        print(json.dumps(request(chosen)), flush=True)


def answer(address, port, stop_nanos):
    """Send every request back."""
    server = socket.socket(clock.family(address), socket.SOCK_DGRAM)
    server.bind((address, port))
    server.settimeout(0.2)
    while clock.now_nanos() < stop_nanos:
        try:
            received, client = server.recvfrom(2048)
            server.sendto(received, client)
        except OSError:
            continue


def request(chosen):
    """Send requests at fixed instants; an answer may arrive at any later time."""
    client = socket.socket(clock.family(chosen.to), socket.SOCK_DGRAM)
    client.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    client.connect((chosen.to, chosen.port))
    interval_nanos = int(chosen.interval_millis * 1e6)
    samples = []
    requests = 0
    next_request = clock.now_nanos()
    while next_request < chosen.stop_nanos:
        _collect(client, next_request, samples)
        with contextlib.suppress(OSError):  # counted as lost: a request without an answer
            client.send(REQUEST.pack(clock.now_nanos(), time.time_ns()))
        requests += 1
        next_request += interval_nanos
    _collect(client, clock.now_nanos() + 200_000_000, samples)
    return {"requests": requests, "samples": samples}


def _collect(client, until_nanos, samples):
    """Receive answers until an instant."""
    while (remaining := until_nanos - clock.now_nanos()) > 0:
        client.settimeout(remaining / 1e9)
        try:
            answer_bytes, ancillary, _, _ = client.recvmsg(64, 64)
        except OSError:
            continue
        sent_monotonic, sent_real = REQUEST.unpack(answer_bytes)
        samples.append([sent_monotonic, (_arrival(ancillary) - sent_real) / 1e6])


def _arrival(ancillary):
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SCM_TIMESTAMPNS:
            seconds, nanos = struct.unpack("qq", data[:16])
            return seconds * 1_000_000_000 + nanos
    return time.time_ns()


if __name__ == "__main__":
    main()
