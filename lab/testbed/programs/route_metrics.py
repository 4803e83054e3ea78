# SPDX-License-Identifier: Apache-2.0
"""Record the TCP metrics of a namespace's IPv4 routes: at first, and whenever one is changed.

Each line is {"tNanos": N, "routes": {destination: {metric: value}}}, of routes with such metrics
alone; the instant is that at which the kernel's notification arrived.
"""

import json
import socket
import subprocess

from testbed.programs import clock

RTMGRP_IPV4_ROUTE = 0x40
METRICS = ("initcwnd", "rto_min", "congctl")
RECEIVE_BYTES = 1 << 16


def main():
    """Record until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--series", required=True)
    chosen = options.parse_args()
    with (
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink,
        open(chosen.series, "w", encoding="utf-8", buffering=1) as series,
    ):
        netlink.bind((0, RTMGRP_IPV4_ROUTE))
        now = clock.now_nanos()
        while True:
            series.write(json.dumps({"tNanos": now, "routes": metrics(routes())}) + "\n")
            remaining = (chosen.stop_nanos - clock.now_nanos()) / 1e9
            if remaining <= 0 or not arrives(netlink, remaining):
                return
            now = clock.now_nanos()
            drain(netlink)


def arrives(netlink, seconds):
    """Whether a notification arrives within so much time."""
    netlink.settimeout(seconds)
    try:
        return bool(netlink.recv(RECEIVE_BYTES))
    except TimeoutError:
        return False


def drain(netlink):
    """Read what has arrived by now."""
    netlink.setblocking(False)
    try:
        while netlink.recv(RECEIVE_BYTES):
            pass
    except BlockingIOError:
        pass


def routes():
    """The main table of this process's namespace, as `ip -j route` lists it."""
    listing = subprocess.run(
        ["ip", "-j", "-4", "route", "show"], check=True, capture_output=True, text=True
    )
    return json.loads(listing.stdout)


def metrics(listing):
    """{destination: {metric: value}} of the routes that have some of TCP's."""
    found = {}
    for route in listing:
        of_tcp = {
            name: value
            for each in route.get("metrics", [])
            for name, value in each.items()
            if name in METRICS
        }
        if of_tcp:
            found[route["dst"]] = of_tcp
    return found


if __name__ == "__main__":
    main()
