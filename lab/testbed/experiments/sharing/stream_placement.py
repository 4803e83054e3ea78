# SPDX-License-Identifier: Apache-2.0
"""Which wires carry which stream: by the plan, or as seen on the wires themselves."""

import json
import subprocess

from testbed.network import addresses
from testbed.network.wire import LEFT
from testbed.programs import launch
from testbed.system.errors import LabError

LOOK_SECONDS = 0.5


class PlannedPlacement:
    """Where there is one shortest path, streams take it."""

    seconds = 0.0

    def __init__(self, network, streams):
        self._wires = {
            stream: frozenset(
                link.name for link in network.plan.wires_between(stream.source, stream.target)
            )
            for stream in streams
        }

    def look(self):
        """{stream: names of its wires}."""
        return self._wires


class ObservedPlacement:
    """Where switches choose by a hash nobody knows, look at the packets that enter each wire.

    For networks in which every way crosses one wire.
    """

    seconds = LOOK_SECONDS + 0.5  # with the watchers' own start

    def __init__(self, network, streams):
        self.network = network
        self.streams = streams

    def look(self):
        """{stream: names of its wires} of the streams that were seen."""
        watchers = {link.name: self._watch(wire) for link, wire in self.network.wires.items()}
        seen = {name: _report(name, watcher) for name, watcher in watchers.items()}
        return placed(seen, self.streams)

    @staticmethod
    def _watch(wire):
        words = ("--device", LEFT, "--seconds", str(LOOK_SECONDS))
        return wire.popen(
            launch.command("passers_by", *words),
            cwd=launch.PACKAGE_PARENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def _report(name, watcher):
    output, words = watcher.communicate(timeout=LOOK_SECONDS + 20)
    if watcher.returncode != 0:
        raise LabError(f"watching wire {name}: {words.strip()}")
    return json.loads(output)


def placed(seen, streams):
    """{stream: name of the wire that carries most of it, as a set}.

    seen: {wire: {"source>target/transport": bytes}}; a stream that nobody saw has no entry.
    """
    found = {}
    for stream in streams:
        source, target = (addresses.endpoint(host).ip for host in (stream.source, stream.target))
        key = f"{source}>{target}/{stream.transport}"
        counts = {wire: counted[key] for wire, counted in seen.items() if key in counted}
        if counts:
            found[stream] = frozenset({max(counts, key=counts.get)})
    return found
