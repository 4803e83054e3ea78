# SPDX-License-Identifier: Apache-2.0
"""Bursts of UDP into a link that TCP fills: every burst causes a first mark to be answered."""

import time

from testbed.flooding.phases import FLOODING_HOSTS, TCP_HOST
from testbed.measure import mark_delays
from testbed.network import addresses
from testbed.traffic.generators import FRESH_TCP_PORTS

BURSTS_SECONDS = 10
ON_MILLIS, OFF_MILLIS = 250, 400


def run(traffic, bottleneck_mbps, congestion_control, seconds=BURSTS_SECONDS):
    """Send bursts: (delays from first marks to changed rates in ms, unanswered marks)."""
    begin = time.monotonic_ns() + 500_000_000
    end = begin + seconds * 1_000_000_000
    background = traffic.tcp(
        *(TCP_HOST, FRESH_TCP_PORTS[-1], congestion_control),
        start_nanos=begin,
        stop_nanos=end,
    )
    for number, host in enumerate(FLOODING_HOSTS, start=1):
        traffic.flood(
            *(host, bottleneck_mbps),
            start_nanos=begin + 1_000_000_000 + number * 210_000_000,
            stop_nanos=end,
            on_millis=ON_MILLIS,
            off_millis=OFF_MILLIS,
        )
    background.report(timeout_seconds=seconds + 10)
    return _delays(traffic.network.lab_run.directory, begin, end, traffic.ip_version)


def _delays(directory, begin_nanos, end_nanos, ip_version):
    """Delays in milliseconds from first marks within a window to the changed class."""
    receiver_trace = mark_delays.read_trace(directory / f"trace-{addresses.RECEIVER}.jsonl")
    first_marks = [
        (event["tNanos"], event["source"])
        for event in receiver_trace
        if event["event"] == "first-ce" and begin_nanos <= event["tNanos"] <= end_nanos
    ]
    class_changes = {
        addresses.endpoint(host).address(ip_version): [
            event["tNanos"]
            for event in mark_delays.read_trace(directory / f"trace-{host}.jsonl")
            if event["event"] == "class-change"
        ]
        for host in addresses.SENDERS
    }
    return mark_delays.delays_millis(first_marks, class_changes)
