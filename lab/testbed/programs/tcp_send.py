# SPDX-License-Identifier: Apache-2.0
"""One TCP connection with a given congestion control: as fast as it goes, or paced.

At the end it prints one JSON line about the connection.
"""

import contextlib
import json
import socket
import struct

from testbed.programs import clock

CHUNK = bytes(1 << 16)
PACE_MILLIS = 20
ROUND_TRIP_NANOS = 20_000_000  # between two samples
OPTIONS_OFFSET, ECN_AGREED = 5, 8  # in struct tcp_info: TCPI_OPT_ECN
TOTAL_RETRANSMITS_OFFSET = 100
RTT_MICROS_OFFSET = 68
TIMEOUTS_OFFSET = 240  # 16 bits, from Linux 6.7 on
INFO_BYTES = 256


def main():
    """Connect at the start instant, send until the stop instant, then reset the connection."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--rate-mbps", type=float, default=0.0, help="0: as fast as it goes")
    options.add_argument(
        "--round-trips", help="write samples of the smoothed round-trip time there"
    )
    chosen = options.parse_args()
    clock.sleep_until(chosen.start_nanos)
    print(json.dumps(send(chosen)), flush=True)


def send(chosen):
    """Do the sending; returns the report."""
    report = {"connectMillis": None, "ecn": None, "retransmits": None, "rttMillis": None}
    sender = socket.socket(clock.family(chosen.to), socket.SOCK_STREAM)
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, chosen.congestion_control.encode())
    # What is unsent at the end of the phase must not be sent in the next one.
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    begun = clock.now_nanos()
    try:
        sender.settimeout(max(0.1, (chosen.stop_nanos - begun) / 1e9))
        sender.connect((chosen.to, chosen.port))
        report["connectMillis"] = (clock.now_nanos() - begun) / 1e6
        report["ecn"] = bool(_all_info(sender)[OPTIONS_OFFSET] & ECN_AGREED)
        if chosen.rate_mbps > 0:
            _send_paced(sender, chosen.rate_mbps, chosen.stop_nanos)
        elif chosen.round_trips:
            with open(chosen.round_trips, "w", encoding="utf-8", buffering=1) as samples:
                _send_sampled(sender, chosen.stop_nanos, samples)
        else:
            _send_greedily(sender, chosen.stop_nanos)
        report["retransmits"] = retransmits(sender)
        report["rttMillis"] = _info(sender, RTT_MICROS_OFFSET) / 1000
    except OSError as failure:
        report["error"] = str(failure)
    finally:
        sender.close()
    return report


def retransmits(connection):
    """How many segments of a connection were sent again."""
    return _info(connection, TOTAL_RETRANSMITS_OFFSET)


def timeouts(connection):
    """How often a connection's retransmission timer expired; None: unknown."""
    info = _all_info(connection)
    if len(info) < TIMEOUTS_OFFSET + 2:
        return None
    return struct.unpack_from("H", info, TIMEOUTS_OFFSET)[0]


def _info(sender, offset):
    """A 32-bit field of the kernel's struct tcp_info."""
    return struct.unpack_from("I", _all_info(sender), offset)[0]


def _all_info(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO_BYTES)


def _send_sampled(sender, stop_nanos, samples):
    """As fast as it goes, with a line {"tNanos", "roundTripMicros"} every ROUND_TRIP_NANOS."""
    while (now := clock.now_nanos()) < stop_nanos:
        line = {"tNanos": now, "roundTripMicros": _info(sender, RTT_MICROS_OFFSET)}
        samples.write(json.dumps(line) + "\n")
        _send_greedily(sender, min(now + ROUND_TRIP_NANOS, stop_nanos))


def _send_greedily(sender, stop_nanos):
    while (remaining := stop_nanos - clock.now_nanos()) > 0:
        sender.settimeout(remaining / 1e9)
        try:
            sender.send(CHUNK)
        except TimeoutError:
            return


def _send_paced(sender, rate_mbps, stop_nanos):
    portion = bytes(int(rate_mbps * 1e6 / 8 * PACE_MILLIS / 1000))
    sender.setblocking(False)
    due = clock.now_nanos()
    while due < stop_nanos:
        with contextlib.suppress(BlockingIOError):  # stalled: this portion is simply not offered
            sender.send(portion)
        due += PACE_MILLIS * 1_000_000
        clock.sleep_until(due)


if __name__ == "__main__":
    main()
