# SPDX-License-Identifier: Apache-2.0
"""Snapshots of namespaces, switches and kernel objects, and how two of them differ."""

import json
from dataclasses import dataclass
from pathlib import Path

from testbed.network import flow_tables
from testbed.system import polling
from testbed.system.errors import LabError
from testbed.system.shell import run

ATTACHMENTS = "root", "ingress", "egress"
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
        for attachment in ATTACHMENTS:
            lines += _lines(node, "filter", "show", "dev", name, attachment)
    for listing in json.loads(node.check(["bpftool", "-j", "net", "show"])):
        for where, programs in listing.items():
            lines += [
                f"program {where} {each.get('devname')} {each.get('kind')} {each.get('name')}"
                for each in programs
            ]
    return sorted(lines)


def _lines(node, kind, *arguments):
    lines = node.check(["tc", kind, *arguments]).splitlines()
    return [f"tc {kind} {arguments[2]}: {line.strip()}" for line in lines if line.strip()]


def differences(where, before, now):
    """Lines that were added or removed."""
    added = [f"{where}: {line}" for line in now if line not in before]
    return added + [f"{where}: removed: {line}" for line in before if line not in now]


def settled_tables(network):
    """Rules, meters and groups of all switches, once they no longer change."""
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
    """Wait until the kernel has freed BPF objects; returns those that stay, as lines."""
    try:
        polling.until(
            lambda: not objects & existing_bpf_objects(),
            f"the kernel to free {len(objects)} BPF objects",
            timeout_seconds=FREED_WITHIN_SECONDS,
        )
    except LabError:
        return [f"BPF {kind} {number}" for kind, number in objects & existing_bpf_objects()]
    return []
