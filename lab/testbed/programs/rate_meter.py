# SPDX-License-Identifier: Apache-2.0
"""Measure the rate of a device over windows of a second; one JSON line at the end.

A window begins and ends with a departure: at 1 Mbit/s one frame more or less would be 1.2 %. A
super-packet counts as the full-size UDP frames that it stands for, as in the shim.
"""

import itertools
import json
import time

from testbed.programs import clock

WINDOW_NANOS = 1_000_000_000
POLL_SECONDS = 0.0002
GIVE_UP_NANOS = 500_000_000
TRANSMITTED_BYTES_FIELD = 8
TRANSMITTED_PACKETS_FIELD = 9
FRAME_BYTES = 1514
HEADERS = 14 + 20 + 8  # of Ethernet, IPv4 and UDP
PAYLOAD = FRAME_BYTES - HEADERS


def main():
    """Measure from the start instant to the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    chosen = options.parse_args()
    clock.sleep_until(chosen.start_nanos)
    readings = [departure(chosen.device)]
    while readings[-1][0] + WINDOW_NANOS < chosen.stop_nanos:
        clock.sleep_until(readings[-1][0] + WINDOW_NANOS)
        readings.append(departure(chosen.device))
    print(json.dumps({"mbps": rates(readings)}), flush=True)


def transmitted(device):
    """Bytes of full-size UDP frames that left a device of this process's namespace."""
    with open("/proc/net/dev", encoding="ascii") as file:
        for line in file:
            name, _, counters = line.partition(":")
            if name.strip() == device:
                fields = counters.split()
                count, packets = fields[TRANSMITTED_BYTES_FIELD], fields[TRANSMITTED_PACKETS_FIELD]
                return on_the_wire(int(count), int(packets))
    raise SystemExit(f"no device {device} here")


def on_the_wire(count, packets):
    """The frame bytes of a count of bytes in so many packets that may be super-packets."""
    return (count - HEADERS * packets) / PAYLOAD * FRAME_BYTES


def departure(device):
    """(instant, bytes so far) right after the next frame was sent, or after a time without one."""
    before = transmitted(device)
    begun = now = clock.now_nanos()
    while now - begun < GIVE_UP_NANOS:
        count, now = transmitted(device), clock.now_nanos()
        if count != before:
            break
        time.sleep(POLL_SECONDS)
    return now, transmitted(device)


def rates(readings):
    """Mbit/s between one reading and the next."""
    return [
        8e3 * (count - count_before) / (now - before)
        for (before, count_before), (now, count) in itertools.pairwise(readings)
    ]


if __name__ == "__main__":
    main()
