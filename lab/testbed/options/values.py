# SPDX-License-Identifier: Apache-2.0
"""The values of options, checked when they are parsed."""

import argparse

from testbed.traffic.generators import CONGESTION_CONTROLS, FRESH_TCP_PORTS

# With and without Sluice, for every congestion control: each repetition needs a port of its own.
MOST_REPETITIONS = len(FRESH_TCP_PORTS) // (2 * len(CONGESTION_CONTROLS))


def mbps(text):
    """A capacity in Mbit/s from 5 (where a packet takes half of the host loop's period) up."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 5 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a capacity of 5 to 1000 Mbit/s")
    return value


def whole_number(least, most):
    """The parser of a whole number between two, both included."""

    def parse(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
        return int(text)

    return parse


def whole_numbers(least, most):
    """The parser of whole numbers between two, such as 5,20,40."""
    parse = whole_number(least, most)
    return lambda text: tuple(parse(part) for part in text.split(","))


def names_of(named):
    """The parser of names, such as sed,rsed, of what has a `name` each."""
    known = [each.name for each in named]

    def parse(text):
        names = tuple(text.split(","))
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            raise argparse.ArgumentTypeError(f"'{unknown}' is not one of {', '.join(known)}")
        return names

    return parse
