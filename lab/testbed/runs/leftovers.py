# SPDX-License-Identifier: Apache-2.0
"""Did the run leave anything behind? Compared with a snapshot from before it began."""

import os
from dataclasses import dataclass, field

from testbed.runs import registry
from testbed.system import processes


@dataclass(frozen=True)
class Snapshot:
    """What a run could leave: each item as "kind: name"."""

    items: frozenset = field(default_factory=frozenset)


def snapshot():
    """Take stock of namespaces, links of the root namespace, BPF pins and run directories."""
    items = {f"namespace: {name}" for name in registry.list_namespaces()}
    items |= {f"link: {name}" for name in registry.list_links()}
    items |= {f"directory: {entry}" for entry in registry.TEMPORARY.glob("slc-*-onos")}
    if registry.BASE.is_dir():
        items |= {f"run directory: {entry}" for entry in registry.BASE.iterdir()}
    for directory, folders, files in os.walk(registry.BPF_BASE):
        items |= {f"BPF pin: {os.path.join(directory, name)}" for name in files + folders}
    return Snapshot(frozenset(items))


def compare(before, after, run_id):
    """(leftovers, others): new items of this run, and new items that bear no run's name.

    The second list is the work of whoever else uses the machine. If nobody does, it is ours and a
    fault in the naming; so it is shown, but not judged. What bears another run's name is its.
    """
    owned = {item: registry.owner_of(item) for item in sorted(after.items - before.items)}
    own = [item for item, owner in owned.items() if owner == run_id]
    return own, [item for item, owner in owned.items() if owner is None]


def find(before, lab_run):
    """Check after the end of a run; processes are told by the tag in their environment."""
    own, others = compare(before, snapshot(), lab_run.id)
    own += [
        f"process: {pid} {words}" for pid, words in sorted(processes.tagged(lab_run.id).items())
    ]
    return own, others
