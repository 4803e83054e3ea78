# SPDX-License-Identifier: Apache-2.0
"""The clock, the address families and the command-line options that all programs share."""

import argparse
import signal
import socket
import time


def now_nanos():
    """CLOCK_MONOTONIC in nanoseconds: the same for every process of the machine."""
    return time.monotonic_ns()


def sleep_until(instant_nanos):
    """Sleep until an instant of CLOCK_MONOTONIC; return at once when it has passed."""
    remaining = instant_nanos - time.monotonic_ns()
    if remaining > 0:
        time.sleep(remaining / 1e9)


def family(address):
    """The address family that an IPv4 or IPv6 address in text belongs to."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def parser(description):
    """Argument parser with the window in which the program is active."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--start-nanos", type=int, default=0, help="begin at this instant")
    made.add_argument("--stop-nanos", type=int, required=True, help="end at this instant")
    return made


def stop_by_interrupt():
    """Have SIGINT raise KeyboardInterrupt, also where a background shell left it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
