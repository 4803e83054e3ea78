# SPDX-License-Identifier: Apache-2.0
"""Processes by id and start time, so that a reused id is never taken for the old process."""

import os
import signal
import time

RUN_TAG = "SLUICE_LAB_RUN"


def start_ticks(pid):
    """Start time of a process in clock ticks since boot; None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state = fields[0]
    return None if state in "ZX" else int(fields[19])


def is_alive(pid, ticks):
    """Whether the very process (id and start time in ticks) still runs."""
    return ticks is not None and start_ticks(pid) == ticks


def cpu_seconds(pid):
    """The processor time that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    """What a process has in memory."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def tagged(run_id):
    """All processes that carry this run's tag in their environment: {pid: command line}."""
    wanted = f"{RUN_TAG}={run_id}".encode()
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if wanted not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except (OSError, ProcessLookupError):
            continue
        if start_ticks(entry) is not None:
            found[int(entry)] = command
    return found


def stop_all(pids, grace_seconds=3.0):
    """Terminate each process (by id), and kill what has not ended after the grace period."""
    watched = {pid: start_ticks(pid) for pid in pids}
    for number in (signal.SIGTERM, signal.SIGKILL):
        remaining = [pid for pid, ticks in watched.items() if is_alive(pid, ticks)]
        for pid in remaining:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        deadline = time.monotonic() + grace_seconds
        while time.monotonic() < deadline:
            if not any(is_alive(pid, watched[pid]) for pid in remaining):
                break
            time.sleep(0.02)
