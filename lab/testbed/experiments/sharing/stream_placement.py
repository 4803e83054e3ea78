# SPDX-License-Identifier: Apache-2.0
"""Which wires carry which stream: by the plan, or by observation of the wires."""

import json
import subprocess

from testbed.network import addresses
from testbed.network.wire import LEFT
from testbed.programs import launch
from testbed.system.errors import LabError

OBSERVE_SECONDS = 0.5


class PlannedPlacement:
    """For networks with one shortest path for each stream, which it takes."""

    seconds = 0.0

    def __init__(self, network, streams):
        self._wires = {
            stream: frozenset(
                link.name for link in network.plan.wires_between(stream.source, stream.target)
            )
            for stream in streams
        }

    def observe(self):
        """{stream: names of its wires}."""
        return self._wires


class ObservedPlacement:
    """For networks in which switches choose by a hash: from the packets that enter each wire.

    Every path must cross exactly one wire.
    """

    seconds = OBSERVE_SECONDS + 0.5  # with the start of the programs

    def __init__(self, network, streams):
        self.network = network
        self.streams = streams

    def observe(self):
        """{stream: names of its wires} of the streams that were observed."""
        counters = {link.name: self._count(wire) for link, wire in self.network.wires.items()}
        counts = {name: _report(name, counter) for name, counter in counters.items()}
        return placed(counts, self.streams)

    @staticmethod
    def _count(wire):
        arguments = ("--device", LEFT, "--seconds", str(OBSERVE_SECONDS))
        return wire.popen(
            launch.command("stream_counter", *arguments),
            cwd=launch.PACKAGE_PARENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def _report(name, counter):
    output, errors = counter.communicate(timeout=OBSERVE_SECONDS + 20)
    if counter.returncode != 0:
        raise LabError(f"counting the streams of wire {name}: {errors.strip()}")
    return json.loads(output)


def placed(counts, streams):
    """{stream: name of the wire that carries most of it, as a set}.

    counts: {wire: {"source>target/transport": bytes}}; a stream without packets has no entry.
    """
    found = {}
    for stream in streams:
        source, target = (addresses.endpoint(host).ip for host in (stream.source, stream.target))
        key = f"{source}>{target}/{stream.transport}"
        by_wire = {wire: bytes_of[key] for wire, bytes_of in counts.items() if key in bytes_of}
        if by_wire:
            found[stream] = frozenset({max(by_wire, key=by_wire.get)})
    return found
