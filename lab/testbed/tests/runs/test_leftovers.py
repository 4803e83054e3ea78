# SPDX-License-Identifier: Apache-2.0
"""Leftovers of a run and what others made meanwhile; processes by id and start time."""

import os
import subprocess
import sys

from testbed.runs import leftovers
from testbed.runs.leftovers import Snapshot
from testbed.system import processes

BEFORE = Snapshot(frozenset({"link: lo", "namespace: slc-01d0-h1"}))


def test_only_new_items_with_the_runs_name_are_its_leftovers():
    own = {
        "BPF pin: /sys/fs/bpf/slc-ab12",
        "BPF pin: /sys/fs/bpf/slc-ab12/h1/uplink_in",
        "directory: /tmp/slc-ab12-controller",
        "link: slc-ab12-m",
        "namespace: slc-ab12-h1",
        "run directory: /run/sluice-lab/ab12",
    }
    another = {"namespace: slc-cd34-h1", "run directory: /run/sluice-lab/cd34"}
    after = Snapshot(BEFORE.items | own | another | {"link: veth7"})
    assert leftovers.compare(BEFORE, after, "ab12") == (sorted(own), ["link: veth7"])


def test_earlier_items_are_no_leftovers():
    assert leftovers.compare(BEFORE, BEFORE, "01d0") == ([], [])


def test_processes_are_found_by_their_tag_and_stopped_by_id():
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"],
        env={**os.environ, processes.RUN_TAG: "tag-of-this-test"},
        stdout=subprocess.PIPE,
    )
    child.stdout.readline()
    try:
        assert list(processes.tagged("tag-of-this-test")) == [child.pid]
        processes.stop_all([child.pid])
        assert child.wait(timeout=5) != 0
        assert processes.tagged("tag-of-this-test") == {}
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_process_is_alive_only_with_its_own_start_time():
    ticks = processes.start_ticks(os.getpid())
    assert processes.is_alive(os.getpid(), ticks)
    assert not processes.is_alive(os.getpid(), ticks + 1)
    assert not processes.is_alive(os.getpid(), None)
