# SPDX-License-Identifier: Apache-2.0
"""Faults beside floods that are controlled: the shares stay, and nothing acknowledged is lost."""

import contextlib
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from testbed.control import tenancy
from testbed.control.etcd import Etcd
from testbed.control.laws import SLUICE
from testbed.control.rest import RestError
from testbed.control.sluice import Sluice
from testbed.experiments.standalone import criteria
from testbed.experiments.standalone.sequences import FLOOD_PART
from testbed.flooding.phase_runner import PhaseRunner
from testbed.flooding.phases import FLOODING_HOSTS, TCP_HOST, Phase
from testbed.flooding.sequence_run import SequenceResult
from testbed.network import addresses
from testbed.report import expectations
from testbed.system import polling
from testbed.traffic.generators import Traffic

BEFORE_SECONDS, WITH_SECONDS, AFTER_SECONDS = 6, 8, 6
KILLED_HOST = FLOODING_HOSTS[0]
DISK_BYTES = 4 << 20
FEW_TENANTS, MOST_TENANTS = 3, 2000
NEXT_LEADER_SECONDS, BACK_WITHIN_SECONDS = 3, 30
SERVER_ERRORS = range(500, 600)


@dataclass(frozen=True)
class Fault:
    """What happens and is healed while traffic goes on.

    prepare(laboratory, own): before the LabSluiced is started; join(deployment): before agents are;
    happen(deployment): amid a phase; heal(deployment): before the next one. Both return
    expectations.
    """

    name: str
    summary: str
    happen: Callable
    heal: Callable
    prepare: Callable = lambda laboratory, own: None
    join: Callable = lambda deployment: None

    seconds = BEFORE_SECONDS + WITH_SECONDS + AFTER_SECONDS + 4


def measure(deployment, fault, congestion_control):
    """(SequenceResult, expectations) of a fault that happens beside controlled floods."""
    deployment.sluice.set(law=SLUICE, enforcement="on")
    traffic = Traffic(deployment.network, fault.name)
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    mbps = deployment.bottleneck_mbps
    runner = PhaseRunner(
        traffic, deployment.port_agent, mbps, congestion_control, deployment.progress
    )
    traffic.start_long_lived(TCP_HOST, congestion_control)
    expected = []

    def flood():
        for host in FLOODING_HOSTS:
            traffic.flood(host, FLOOD_PART * mbps, start_nanos=0)
        polling.until(
            lambda: any(port["congested"] for port in deployment.sluice.ports()),
            "the receiver's port to be under control",
            timeout_seconds=BACK_WITHIN_SECONDS,
        )

    phases = [
        runner.run(Phase("before", BEFORE_SECONDS, flooding=True), flood),
        runner.run(
            Phase("fault", WITH_SECONDS, flooding=True),
            amid=lambda: expected.extend(fault.happen(deployment)),
        ),
        runner.run(
            Phase("healed", AFTER_SECONDS, flooding=True),
            lambda: expected.extend(fault.heal(deployment)),
        ),
    ]
    flows = traffic.flows()
    traffic.end()
    result = SequenceResult(congestion_control, SLUICE, mbps, phases, flows, [], 0, None)
    return result, criteria.of_fault(phases) + expected


def _kill_sluiced(deployment):
    deployment.controller.own.kill()
    return []


def _start_sluiced(deployment):
    deployment.controller.own.start()
    deployment.wait_for_agents()
    return [_tenants_kept(deployment)]


def _tenants_kept(deployment):
    listed = {each["id"] for each in deployment.sluice.tenants()}
    kept = sum(tenancy.tenant_of(machine) in listed for machine in deployment.machines)
    count = len(deployment.machines)
    return expectations.within("tenants after its return", kept, count, count)


def _kill_agent(deployment):
    deployment.host_agents[KILLED_HOST].kill()
    return []


def _start_agent(deployment):
    deployment.host_agents[KILLED_HOST].start()
    deployment.wait_for_agents()
    return []


def _mount_small_disk(laboratory, own):
    """Have it store on a file system of its own, which a process holds and takes along."""
    own.data_directory.mkdir(parents=True)
    mount = f"mount -t tmpfs -o size={DISK_BYTES} sluice-lab {own.data_directory}"
    ready = laboratory.lab_run.directory / "mounted"
    holder = subprocess.Popen(
        ["unshare", "--mount", "sh", "-ec", f"{mount}; touch {ready}; exec sleep infinity"],
        env=laboratory.lab_run.environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    laboratory.cleanup.callback(holder.wait)
    laboratory.cleanup.callback(holder.kill)
    polling.until(ready.exists, "a small file system", timeout_seconds=10)
    own.launched_by = ("nsenter", f"--mount=/proc/{holder.pid}/ns/mnt", "--")
    own.disk = f"/proc/{holder.pid}/root{own.data_directory}"


def _fill_disk(deployment):
    """Add tenants, fill it, and add more until one is refused."""
    deployment.acknowledged, refused = set(), None
    for number in range(FEW_TENANTS):
        _add(deployment, f"kept{number}")
    with contextlib.suppress(OSError), open(f"{deployment.controller.own.disk}/fill", "wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()
    for number in range(MOST_TENANTS):
        try:
            _add(deployment, f"further{number}")
        except RestError as refusal:
            refused = refusal.status
            deployment.progress.log(f"  {refusal}")
            break
    return [
        expectations.Expectation(
            "disk full: the answer to a change", refused, "5xx", refused in SERVER_ERRORS
        )
    ]


def _add(deployment, name):
    deployment.sluice.put_tenant(name, {"weight": 1, "members": []})
    deployment.acknowledged.add(name)


def _free_disk(deployment):
    """Free it; what was acknowledged is there after kill -9, and changes are taken again."""
    own = deployment.controller.own
    subprocess.run(["rm", f"{own.disk}/fill"], check=True)
    own.kill()
    own.start()
    deployment.wait_for_agents()
    listed = {each["id"] for each in deployment.sluice.tenants()}
    lost = len(deployment.acknowledged - listed)
    for name in sorted(deployment.acknowledged & listed):
        deployment.sluice.delete_tenant(name)
    deployment.set_weight(addresses.RECEIVER, 1)
    return [expectations.below("disk full: acknowledged tenants that were lost", lost, 1)]


def _share_etcd(laboratory, own):
    """Start an etcd, which it shares."""
    own.shared = Etcd(laboratory.lab_run, own.directory / "etcd")
    laboratory.cleanup.callback(own.shared.kill)
    own.shared.start()
    own.etcd = own.shared.url


def _kill_etcd(deployment):
    deployment.controller.own.shared.kill()
    refused = None
    try:
        deployment.sluice.put_tenant("refused", {"weight": 1, "members": []})
    except RestError as refusal:
        refused = refusal.status
        deployment.progress.log(f"  {refusal}")
    return [
        expectations.Expectation(
            "etcd gone: the answer to a change", refused, "5xx", refused in SERVER_ERRORS
        )
    ]


def _start_etcd(deployment):
    deployment.controller.own.shared.start()
    polling.until(
        lambda: _is_taken(deployment.sluice),
        "sluiced to take changes again",
        timeout_seconds=BACK_WITHIN_SECONDS,
    )
    return [_tenants_kept(deployment)]


def _is_taken(sluice):
    sluice.put_tenant("after", {"weight": 1, "members": []})
    return True


def _start_two(laboratory, own):
    """As with one, and another node beside it, which agents dial, too."""
    _share_etcd(laboratory, own)
    own.other = own.second()
    laboratory.cleanup.callback(own.other.stop_if_started)


def _join_second(deployment):
    """Start the other node, once the first leads."""
    other = deployment.controller.own.other
    deployment.second = Sluice(other.start().api)
    deployment.further_links.append(deployment.reach(other.ports["link"]))


def _decision(sluice, after):
    """The first decision about a port of those after a sequence number of the journal, if any."""
    entries = sluice.journal(after=after)
    return next((each for each in reversed(entries) if each["kind"] == "control-started"), None)


def _kill_leader(deployment):
    """Kill the one that leads; the other is to decide about the receiver's port."""
    before = deployment.second.journal_end()
    killed = time.time()
    deployment.controller.own.kill()
    # Ports are listed as they were a second ago; the journal has the time.
    decision = polling.until(
        lambda: _decision(deployment.second, before),
        "the other node to decide",
        timeout_seconds=BACK_WITHIN_SECONDS,
    )
    return [
        expectations.below(
            "leader killed: seconds until the other decides",
            datetime.fromisoformat(decision["time"]).timestamp() - killed,
            NEXT_LEADER_SECONDS,
        )
    ]


FAULTS = (
    Fault("sluiced-killed", "sluiced killed by kill -9, and back", _kill_sluiced, _start_sluiced),
    Fault("agent-killed", "a flooding host's agent killed, and back", _kill_agent, _start_agent),
    Fault("disk-full", "sluiced's disk full, then free", _fill_disk, _free_disk, _mount_small_disk),
    Fault("etcd-gone", "etcd killed, and back", _kill_etcd, _start_etcd, _share_etcd),
    Fault(
        "leader-killed",
        "the leading one of two sluiced killed, and back",
        _kill_leader,
        _start_sluiced,
        _start_two,
        _join_second,
    ),
)


def named(name):
    """The Fault of a name; None for None."""
    return next((each for each in FAULTS if each.name == name), None)
