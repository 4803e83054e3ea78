# SPDX-License-Identifier: Apache-2.0
"""What controller, agents and switches hold at an instant: memory, maps, classes, rules, meters."""

import contextlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from testbed.network.topology import UPLINK
from testbed.system import polling
from testbed.system.errors import LabError
from testbed.system.shell import run

HISTOGRAM_LINE = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)")
OWN_CLASSES = "org.sluice."
OWN_THREADS = "sluice-"
# The journal is a ring: it grows to its capacity and no further.
JOURNAL_ENTRY = "org.sluice.api.AutoValue_JournalEntry"
BPF_HASH, BPF_LRU_HASH = 1, 9


@dataclass(frozen=True)
class Heap:
    """Live objects of the controller, after a full collection."""

    live_bytes: int
    own_objects: int
    journal_entries: int
    threads: int
    own_threads: int

    def as_json(self):
        """Its part of the result document."""
        return {
            "liveBytes": self.live_bytes,
            "ownObjects": self.own_objects,
            "journalEntries": self.journal_entries,
            "threads": self.threads,
            "ownThreads": self.own_threads,
        }


@dataclass(frozen=True)
class AgentFootprint:
    """What one agent's process and its part of the kernel hold."""

    resident_kib: int
    descriptors: int
    threads: int
    map_entries: int
    recycling_map_entries: int
    classes: int
    filters: int
    pins: int

    def as_json(self):
        """Its part of the result document."""
        return {
            "residentKiB": self.resident_kib,
            "descriptors": self.descriptors,
            "threads": self.threads,
            "mapEntries": self.map_entries,
            "recyclingMapEntries": self.recycling_map_entries,
            "classes": self.classes,
            "filters": self.filters,
            "pins": self.pins,
        }


@dataclass(frozen=True)
class Footprint:
    """All of it at an instant."""

    when: str
    heap: Heap
    agents: dict
    switches: dict

    def as_json(self):
        """Its part of the result document."""
        return {
            "when": self.when,
            "controller": self.heap.as_json(),
            "agents": {name: each.as_json() for name, each in self.agents.items()},
            "switches": self.switches,
        }


def take(when, jvm_pid, host_agents, switches):
    """The footprint now. host_agents: {host: Agent}; switches: {name: Switch}."""
    return Footprint(
        when,
        heap_of(jvm_pid),
        {host: _agent(agent) for host, agent in host_agents.items()},
        {
            name: {
                "flows": len(switch.flows()),
                "meters": len(switch.meters()),
                "groups": len(switch.groups()),
            }
            for name, switch in switches.items()
        },
    )


def wait_until_unchanged(host_agents, seconds, timeout_seconds):
    """Wait until classes, filters and map entries of all agents stay the same for some seconds.

    If they never do, the growth between two footprints is judged all the same.
    """
    last = None

    def is_unchanged():
        nonlocal last
        current = {
            host: (each.classes, each.filters, each.map_entries)
            for host, each in ((host, _agent(agent)) for host, agent in host_agents.items())
        }
        is_same = current == last
        last = current
        return is_same

    with contextlib.suppress(LabError):
        polling.until(
            is_unchanged,
            "the agents' classes, filters and maps to stay the same",
            timeout_seconds=timeout_seconds,
            interval_seconds=seconds,
        )


def heap_of(pid):
    """Live objects of a Java process; forces a full collection."""
    histogram = run(["jcmd", str(pid), "GC.class_histogram"], timeout_seconds=60)
    live_bytes, own, journal = read_histogram(histogram)
    return Heap(live_bytes, own, journal, _status(pid, "Threads"), _own_threads(pid))


def _own_threads(pid):
    """How many threads of a Java process are Sluice's, by their names."""
    names = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            names.append((task / "comm").read_text(encoding="utf-8"))
    return sum(name.startswith(OWN_THREADS) for name in names)


def read_histogram(text):
    """(bytes of all objects, number of Sluice's, of them journal entries) of a class histogram."""
    live_bytes = own = journal = 0
    for line in text.splitlines():
        found = HISTOGRAM_LINE.match(line)
        if found is None:
            continue
        instances, size, name = int(found[1]), int(found[2]), found[3]
        live_bytes += size
        if name.lstrip("[L").startswith(OWN_CLASSES):
            own += instances
        if name == JOURNAL_ENTRY:
            journal = instances
    if live_bytes == 0:
        raise LabError("jcmd's class histogram has no line that could be read")
    return live_bytes, own, journal


def _agent(agent):
    pid = agent.process.pid
    maps = _maps(pid)
    return AgentFootprint(
        resident_kib=resident_kib(pid),
        descriptors=len(list(Path(f"/proc/{pid}/fd").iterdir())),
        threads=_status(pid, "Threads"),
        map_entries=sum(entries for kind, entries in maps if kind != BPF_LRU_HASH),
        recycling_map_entries=sum(entries for kind, entries in maps if kind == BPF_LRU_HASH),
        classes=_lines(agent.node, "class"),
        filters=_lines(agent.node, "filter"),
        pins=len(agent.pins),
    )


def _lines(node, kind):
    """How many classes or filters the uplink has: tc prints each in lines that begin so."""
    listing = node.check(["tc", kind, "show", "dev", UPLINK])
    return sum(line.startswith(f"{kind} ") for line in listing.splitlines())


def _maps(pid):
    """[(type number, entries)] of the BPF hash maps that a process holds open."""
    seen = {}
    for described in Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            lines = described.read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            continue  # closed meanwhile
        fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        if "map_id" in fields:
            seen[int(fields["map_id"])] = int(fields["map_type"])
    return [
        (kind, _entries(number))
        for number, kind in seen.items()
        if kind in (BPF_HASH, BPF_LRU_HASH)
    ]


def _entries(map_id):
    return len(json.loads(run(["bpftool", "-j", "map", "dump", "id", str(map_id)])))


def resident_kib(pid):
    """Resident memory of a process."""
    return _status(pid, "VmRSS")


def _status(pid, field):
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise LabError(f"/proc/{pid}/status has no {field}")
