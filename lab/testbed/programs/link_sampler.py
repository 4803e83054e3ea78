# SPDX-License-Identifier: Apache-2.0
"""Record the bytes that left a device, over time: {"tNanos": N, "bytes": cumulative} a line."""

import json

from testbed.programs import clock

INTERVAL_NANOS = 50_000_000
TRANSMITTED_BYTES_FIELD = 8


def main():
    """Sample until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--series", required=True)
    chosen = options.parse_args()
    with open(chosen.series, "w", encoding="utf-8", buffering=1) as series:
        while (now := clock.now_nanos()) < chosen.stop_nanos:
            series.write(json.dumps({"tNanos": now, "bytes": transmitted(chosen.device)}) + "\n")
            clock.sleep_until(now + INTERVAL_NANOS)


def transmitted(device):
    """Frame bytes that left a device of this process's namespace."""
    with open("/proc/net/dev", encoding="ascii") as file:
        for line in file:
            name, _, counters = line.partition(":")
            if name.strip() == device:
                return int(counters.split()[TRANSMITTED_BYTES_FIELD])
    raise SystemExit(f"no device {device} here")


if __name__ == "__main__":
    main()
