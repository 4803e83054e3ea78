# SPDX-License-Identifier: Apache-2.0
"""Runs leave nothing behind, however they end. Needs root, as the testbed itself does."""

import json
import signal
import subprocess
import time

import pytest

from testbed.runs import leftovers, registry
from testbed.system import processes, repository, requirements

LAB_RUN = repository.ROOT / "lab" / "run"


# Left to those who are root by `-m "not root"`.
pytestmark = pytest.mark.root


@pytest.fixture(autouse=True)
def needs_root():
    if not requirements.may_make_namespaces():
        pytest.fail("network namespaces need root: run the tests as root")


@pytest.fixture
def before():
    return leftovers.snapshot()


def start_topology(progress=subprocess.DEVNULL):
    """A topology of machines on taps that has been brought up, and its run.

    progress: where its progress goes.
    """
    process = subprocess.Popen(
        [LAB_RUN, "topology", "--no-agents", "--guests", "taps"],
        stdout=subprocess.PIPE,
        stderr=progress,
        text=True,
    )
    first_line = process.stdout.readline()
    assert first_line.startswith("run:"), "the topology did not come up"
    run_id = first_line.split()[1]
    for line in process.stdout:
        if line.startswith("enter with:"):
            return process, registry.Run(run_id)
    raise AssertionError("the topology ended while coming up")


def left_by(before, lab_run):
    own, _ = leftovers.find(before, lab_run)
    return own


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_removes_everything(before, number):
    process, lab_run = start_topology(progress=subprocess.PIPE)
    assert len(lab_run.namespaces()) == 14
    process.send_signal(number)
    # A second one, while the run is being removed because of the first.
    assert any("removing everything" in line for line in process.stderr)
    process.send_signal(number)
    _, further_progress = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the run is being removed; please wait" in further_progress
    assert left_by(before, lab_run) == []


def test_cleanup_removes_the_run_of_a_killed_owner_and_no_other(before):
    killed, dead_run = start_topology()
    living, living_run = start_topology()
    killed.kill()
    killed.wait()
    assert left_by(before, dead_run), "a killed run cannot have removed itself"
    subprocess.run([LAB_RUN, "cleanup"], check=True, capture_output=True)
    assert left_by(before, dead_run) == []
    assert len(living_run.namespaces()) == 14
    assert processes.tagged(living_run.id)
    living.terminate()
    living.wait(timeout=60)
    assert left_by(before, living_run) == []
    for process in (killed, living):
        process.stdout.close()


@pytest.mark.parametrize(
    ("topology", "guests", "farthest"),
    [("dumbbell", "taps", "10.0.0.5"), ("leaf-spine", "veth", "10.0.0.4")],
)
def test_a_kept_run_forwards_and_stays_until_it_is_ended(before, topology, guests, farthest):
    done = subprocess.run(
        [
            *(LAB_RUN, "topology", "--topology", topology, "--guests", guests),
            *("--no-agents", "--keep"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    lab_run = registry.Run(done.stdout.split()[1])
    try:
        subprocess.run([LAB_RUN, "cleanup"], check=True, capture_output=True)
        switch = lab_run.namespace("s1")
        assert switch in lab_run.namespaces(), "cleanup without --kept must leave it"
        machine = f"--net={registry.NETNS_BASE / lab_run.namespace('vm1')}"
        pinged = subprocess.run(
            [
                *("nsenter", machine, "/usr/bin/python3", "-m", "testbed.programs.ping"),
                *("--to", farthest, "--stop-nanos", str(time.monotonic_ns() + 2_000_000_000)),
            ],
            cwd=LAB_RUN.parent,
            check=True,
            capture_output=True,
        )
        assert json.loads(pinged.stdout)["samples"], f"{farthest} does not answer"
    finally:
        subprocess.run([LAB_RUN, "cleanup", lab_run.id], check=True, capture_output=True)
    assert left_by(before, lab_run) == []
