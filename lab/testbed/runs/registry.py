# SPDX-License-Identifier: Apache-2.0
"""The register of runs: which run made what, so that all of it can be removed later.

Every run has an id of four hexadecimal digits. All its names carry it: namespaces
`slc-ID-...`, its one link in the root namespace `slc-ID-m`, its BPF pins below
`/sys/fs/bpf/slc-ID`, its files below `/run/sluice-lab/ID` and (the controller's) the temporary
directory's `slc-ID-controller`, and the tag SLUICE_LAB_RUN=ID in the environment of each of its
processes. Removing a run takes nothing but its id.
"""

import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from testbed.system import processes
from testbed.system.errors import LabError
from testbed.system.shell import run

BASE = Path("/run/sluice-lab")
NAME = re.compile(rf"(?:\bslc-|{re.escape(str(BASE))}/)([0-9a-f]{{4}})(?![0-9a-f])")
TEMPORARY = Path(tempfile.gettempdir())
BPF_BASE = Path("/sys/fs/bpf")
NETNS_BASE = Path("/run/netns")


@dataclass(frozen=True)
class Run:
    """One run and the names that follow from its id."""

    id: str

    @property
    def directory(self):
        """Run-time files: sockets, configurations, logs."""
        return BASE / self.id

    @property
    def controller_directory(self):
        """Files of the lab's controller: too many for /run, which is memory."""
        return TEMPORARY / f"slc-{self.id}-controller"

    @property
    def record_file(self):
        """The record of its owner."""
        return self.directory / "run.json"

    @property
    def bpf_directory(self):
        """Parent of all BPF pins of this run."""
        return BPF_BASE / f"slc-{self.id}"

    @property
    def root_link(self):
        """The management link's end in the root namespace."""
        return f"slc-{self.id}-m"

    def namespace(self, node):
        """Network namespace of a node of this run."""
        return f"slc-{self.id}-{node}"

    @property
    def environment(self):
        """Environment for every process of this run."""
        return {**os.environ, processes.RUN_TAG: self.id}

    def namespaces(self):
        """Names of the namespaces of this run that exist now."""
        prefix = self.namespace("")
        return sorted(name for name in list_namespaces() if name.startswith(prefix))

    def record(self, **changes):
        """Write changes into the run's record, in one step."""
        content = self.read()
        content.update(changes)
        staged = self.record_file.with_suffix(".new")
        staged.write_text(json.dumps(content, indent=1), encoding="utf-8")
        staged.replace(self.record_file)

    def read(self):
        """The run's record; empty when it was never written."""
        try:
            return json.loads(self.record_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def is_stale(self):
        """Whether its owner has ended and the run was not kept on purpose."""
        record = self.read()
        if record.get("kept"):
            return False
        owner = record.get("owner")
        return owner is None or not processes.is_alive(owner["pid"], owner["startTicks"])


def begin(experiment):
    """Register a new run owned by this process."""
    BASE.mkdir(parents=True, exist_ok=True)
    while True:
        new = Run(secrets.token_hex(2))
        try:
            new.directory.mkdir()
        except FileExistsError:
            continue
        new.record(
            id=new.id,
            experiment=experiment,
            startedAt=time.strftime("%Y-%m-%dT%H:%M:%S"),
            owner={"pid": os.getpid(), "startTicks": processes.start_ticks(os.getpid())},
            kept=False,
        )
        return new


def existing():
    """All runs that have a directory, a namespace, a link or a pin."""
    ids = {entry.name for entry in BASE.iterdir()} if BASE.is_dir() else set()
    names = list_namespaces() + list_links()
    names += [entry.name for entry in TEMPORARY.glob("slc-*-controller")]
    names += [entry.name for entry in BPF_BASE.iterdir()] if BPF_BASE.is_dir() else []
    ids |= {owner_of(name) for name in names} - {None}
    return [Run(run_id) for run_id in sorted(ids)]


def owner_of(name):
    """Id of the run that a namespace, link, pin or path belongs to; None for no run's."""
    found = NAME.search(name)
    return found[1] if found else None


def remove(target):
    """Remove everything of a run; may be called again after an interruption."""
    processes.stop_all(processes.tagged(target.id))
    for name in target.namespaces():
        pids = run(["ip", "netns", "pids", name]).split()
        processes.stop_all(int(pid) for pid in pids)
    if target.root_link in list_links():
        run(["ip", "link", "delete", target.root_link])
    for name in target.namespaces():
        run(["ip", "netns", "delete", name])
    shutil.rmtree(target.bpf_directory, ignore_errors=True)
    shutil.rmtree(target.controller_directory, ignore_errors=True)
    shutil.rmtree(target.directory, ignore_errors=True)


def remove_stale():
    """Remove the runs whose owner has ended; returns their ids."""
    removed = []
    for candidate in existing():
        if candidate.is_stale():
            remove(candidate)
            removed.append(candidate.id)
    return removed


def find(run_id):
    """The run with this id; LabError when there is none."""
    for candidate in existing():
        if candidate.id == run_id:
            return candidate
    raise LabError(
        f"no run {run_id}; existing runs: {', '.join(r.id for r in existing()) or 'none'}"
    )


def list_namespaces():
    """Names of all named network namespaces of the machine."""
    return sorted(entry.name for entry in NETNS_BASE.iterdir()) if NETNS_BASE.is_dir() else []


def list_links():
    """Names of all links in the root namespace."""
    listing = subprocess.run(
        ["ip", "-j", "link", "show"], capture_output=True, text=True, check=True
    ).stdout
    return sorted(link["ifname"] for link in json.loads(listing))
