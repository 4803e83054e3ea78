# SPDX-License-Identifier: Apache-2.0
"""Taps for virtual machines, as hypervisors give them to their guests.

A machine stays a namespace. Its NIC is a tap there, as virtio-net's is one inside a guest: frames
cross to a tap of its hypervisor with their virtio headers, super-packets whole.
"""

import subprocess

from testbed.programs import launch
from testbed.runs.registry import NETNS_BASE
from testbed.system import processors
from testbed.system.errors import LabError


def connect(machine, nic, hypervisor, port):
    """Give a machine a NIC, whose other side is a port of its hypervisor, and bring both up.

    Both are there as long as their program, which is one of the run's.
    """
    log_file = machine.lab_run.directory / f"guest-{machine.name}.log"
    with open(log_file, "wb") as log:
        program = hypervisor.popen(
            [*processors.SERVICE_PRIORITY, *_command(NETNS_BASE / machine.netns, nic, port)],
            stdout=subprocess.PIPE,
            stderr=log,
        )
    with program.stdout as output:
        is_ready = output.readline()
    if not is_ready:
        program.wait()
        raise LabError(f"{machine.name}: {log_file.read_text(encoding='utf-8').strip()}")
    machine.ip_command("link", "set", nic, "up")
    hypervisor.ip_command("link", "set", port, "up")
    return program


def refusal():
    """Why this machine has no such taps; None: it has."""
    try:
        trial = subprocess.Popen(
            ["unshare", "--net", *_command("/proc/self/ns/net", "guest", "host")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    except FileNotFoundError as missing:
        return str(missing)
    with trial:
        if trial.stdout.readline():
            trial.kill()
            return None
        return trial.stderr.read().strip()


def _command(namespace, nic, port):
    return [*launch.command("guest"), str(namespace), nic, port]
