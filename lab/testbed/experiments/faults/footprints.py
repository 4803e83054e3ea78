# SPDX-License-Identifier: Apache-2.0
"""What Sluice leaves in namespaces, switches and the kernel, to be compared with what was there."""

import json
from dataclasses import dataclass
from pathlib import Path

from testbed.network import flow_tables
from testbed.system import polling
from testbed.system.errors import LabError
from testbed.system.shell import run

GATES = "root", "ingress", "egress"
# Ids that the kernel hands out anew each time say nothing about structure.
OBJECT_KINDS = ("prog", "map", "link")
FREED_WITHIN_SECONDS = 10


@dataclass(frozen=True)
class Before:
    """Namespaces and switches before Sluice was installed."""

    namespaces: dict
    tables: dict


def of_namespace(node):
    """Queueing, filters, attached programs and devices' sizes of a namespace, as sorted lines."""
    lines = []
    for link in json.loads(node.ip_command("-j", "-d", "link", "show")):
        name = link["ifname"]
        lines.append(f"device {name}: gso_max_size {link.get('gso_max_size')}")
        lines += _lines(node, "qdisc", "show", "dev", name)
        lines += _lines(node, "class", "show", "dev", name)
        for gate in GATES:
            lines += _lines(node, "filter", "show", "dev", name, gate)
    for attachment in json.loads(node.check(["bpftool", "-j", "net", "show"])):
        for where, programs in attachment.items():
            lines += [
                f"program {where} {each.get('devname')} {each.get('kind')} {each.get('name')}"
                for each in programs
            ]
    return sorted(lines)


def _lines(node, kind, *words):
    told = node.check(["tc", kind, *words]).splitlines()
    return [f"tc {kind} {words[2]}: {line.strip()}" for line in told if line.strip()]


def differences(where, before, now):
    """Lines that came or went."""
    came = [f"{where}: {line}" for line in now if line not in before]
    return came + [f"{where}: gone: {line}" for line in before if line not in now]


def settled_tables(network):
    """Rules, meters and groups of all switches, once they rest."""
    return flow_tables.settled(list(network.switches.values()))


def bpf_objects(pid):
    """{(kind, id)} of the BPF objects that a process holds."""
    held = set()
    for descriptor in Path(f"/proc/{pid}/fdinfo").iterdir():
        for line in descriptor.read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            kind = name.removesuffix("_id")
            if name.endswith("_id") and kind in OBJECT_KINDS:
                held.add((kind, int(value)))
    return held


def existing_bpf_objects():
    """{(kind, id)} of all BPF objects of this kernel."""
    return {
        (kind, each["id"])
        for kind in OBJECT_KINDS
        for each in json.loads(run(["bpftool", "-j", kind, "show"]) or "[]")
    }


def wait_until_freed(objects):
    """Give the kernel some time to free BPF objects; those that stay, as lines."""
    try:
        polling.until(
            lambda: not objects & existing_bpf_objects(),
            f"the kernel to free {len(objects)} BPF objects",
            timeout_seconds=FREED_WITHIN_SECONDS,
        )
    except LabError:
        return [f"BPF {kind} {number}" for kind, number in objects & existing_bpf_objects()]
    return []
