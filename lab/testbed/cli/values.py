# SPDX-License-Identifier: Apache-2.0
"""The values of options that are checked when they are parsed."""

import argparse

from testbed.experiments.compare.systems import SYSTEMS
from testbed.experiments.deadlines.experiment import MOST_REPETITIONS
from testbed.experiments.incast import turns as incast_turns
from testbed.experiments.incast.experiment import MOST_SENDERS
from testbed.experiments.microflow.turns import MODES
from testbed.experiments.opentcp import loads as opentcp_loads
from testbed.experiments.opentcp import turns as opentcp_turns
from testbed.experiments.soak.experiment import CONTROLLER_BOOTS, LEAST_MINUTES
from testbed.network.addresses import SENDERS


def mbps(text):
    """A capacity in Mbit/s from 5 (where a packet takes half of the host loop's period) up."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 5 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a capacity of 5 to 1000 Mbit/s")
    return value


def two_mbps(text):
    """Two capacities, such as 50,30."""
    values = tuple(mbps(part) for part in text.split(","))
    if len(values) != 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not two capacities, such as 50,30")
    return values


def delays(text):
    """A delay in milliseconds for each sender, such as 0.5,2,5,10."""
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != len(SENDERS) or not all(0 <= value <= 200 for value in values):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not {len(SENDERS)} delays of 0 to 200 ms, such as 0.5,2,5,10"
        )
    return values


def samples(text):
    """How many first marks, from 20 to 2000."""
    if not text.isdigit() or not 20 <= int(text) <= 2000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 20 to 2000")
    return int(text)


def repetitions(text):
    """How often: every repetition needs ports of its own, whose number is limited."""
    if not text.isdigit() or not 1 <= int(text) <= MOST_REPETITIONS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {MOST_REPETITIONS}")
    return int(text)


def minutes(text):
    """The duration of a soak."""
    value = float(text)
    if value < LEAST_MINUTES:
        raise argparse.ArgumentTypeError(
            f"{text} minutes are too few for {CONTROLLER_BOOTS} boots of the controller:"
            f" give {LEAST_MINUTES} or more"
        )
    return value


def turns(text):
    """Names of microflow's turns, such as law,law+levels."""
    return _names_of(MODES, text)


def incast_turns_of(text):
    """Names of incast's turns, such as sed,rsed."""
    return _names_of(incast_turns.MODES, text)


def systems(text):
    """Names of systems that are compared, such as nothing,sluice."""
    return _names_of(SYSTEMS, text)


def opentcp_turns_of(text):
    """Names of OpenTCP's turns, such as window,opentcp1."""
    return _names_of(opentcp_turns.MODES, text)


def opentcp_loads_of(text):
    """Names of OpenTCP's loads, such as far."""
    return _names_of(opentcp_loads.LOADS, text)


def _names_of(modes, text):
    names = tuple(text.split(","))
    known = [mode.name for mode in modes]
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise argparse.ArgumentTypeError(f"'{unknown}' is not one of {', '.join(known)}")
    return names


def senders(text):
    """Numbers of connections at once, such as 5,20,40."""
    return tuple(_whole_number(part, 1, MOST_SENDERS) for part in text.split(","))


def flows(text):
    """Numbers of endless connections at once, such as 1,4,16."""
    return tuple(_whole_number(part, 1, 64) for part in text.split(","))


def slope_packets(text):
    """K1 or K2 of marks by slope."""
    return _whole_number(text, 1, 1000)


def buffer_packets(text):
    """Room in a queue."""
    return _whole_number(text, 5, 1000)


def _whole_number(text, least, most):
    if not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
    return int(text)


def cycle_seconds(text):
    """How often policies are evaluated: a cause for their end lasts three cycles."""
    return _whole_number(text, 1, 60)


def reversions(text):
    """How often."""
    return _whole_number(text, 0, 100)


def rtt(text):
    """A round trip in milliseconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 200:
        raise argparse.ArgumentTypeError(f"'{text}' is not a round trip of 0 to 200 ms")
    return value


def connections(text):
    """How many connections: two senders need one each."""
    return _whole_number(text, 2, 64)


def per_second(text):
    """Requests a second, for a generator whose intervals are whole milliseconds."""
    return _whole_number(text, 1, 100)


def at_once(text):
    """Requests at the same instant."""
    return _whole_number(text, 1, 100)


def page_bytes(text):
    """The size of a page."""
    return _whole_number(text, 1, 10_000_000)
