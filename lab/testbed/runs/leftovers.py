# SPDX-License-Identifier: Apache-2.0
"""What a run left behind, by comparison with a snapshot from before it began."""

import os
from dataclasses import dataclass, field

from testbed.runs import registry
from testbed.system import processes


@dataclass(frozen=True)
class Snapshot:
    """What a run may leave behind: each item as "kind: name"."""

    items: frozenset = field(default_factory=frozenset)


def snapshot():
    """List namespaces, links of the root namespace, BPF pins and run directories."""
    items = {f"namespace: {name}" for name in registry.list_namespaces()}
    items |= {f"link: {name}" for name in registry.list_links()}
    items |= {f"directory: {entry}" for entry in registry.TEMPORARY.glob("slc-*-controller")}
    if registry.BASE.is_dir():
        items |= {f"run directory: {entry}" for entry in registry.BASE.iterdir()}
    for directory, folders, files in os.walk(registry.BPF_BASE):
        items |= {f"BPF pin: {os.path.join(directory, name)}" for name in files + folders}
    return Snapshot(frozenset(items))


def compare(before, after, run_id):
    """(leftovers, others): new items of this run, and new items without any run's name.

    The others were made by somebody else on this machine. If there is nobody, this run made them
    and misnamed them; so they are shown, but not judged. Items of another run belong to that run.
    """
    owned = {item: registry.owner_of(item) for item in sorted(after.items - before.items)}
    own = [item for item, owner in owned.items() if owner == run_id]
    return own, [item for item, owner in owned.items() if owner is None]


def find(before, lab_run):
    """Check after the end of a run; its processes have its tag in their environment."""
    own, others = compare(before, snapshot(), lab_run.id)
    own += [
        f"process: {pid} {command}" for pid, command in sorted(processes.tagged(lab_run.id).items())
    ]
    return own, others
