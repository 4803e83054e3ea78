# SPDX-License-Identifier: Apache-2.0
"""Virtual machines that do not behave: forged packets, and an address that is another's."""

import json
import signal
import socket
import time

from testbed.experiments.faults.fault import Fault
from testbed.network import addresses
from testbed.network.topology import UPLINK, VM_INTERFACE
from testbed.programs import frames
from testbed.report import expectations
from testbed.system import polling

CONTROL_PROTOCOL = 253
FORGER, VICTIM, RECEIVER = "h3", "h2", "h5"
COUNT = 50
COUNTERS = {
    frames.CONTROL: "forgedControlPackets",
    frames.MARK: "forgedCePackets",
    frames.RESERVED: "forgedReservedBitPackets",
    frames.FOREIGN: "spoofedPackets",
}
SPOOFED_WORDS = "not its own"
CLAIMANT, OWNER = "h4", "h1"
JOURNAL_ENTRIES = 200
ANNOUNCE_SECONDS = 4


def forged(scene):
    """Send each kind of forged packet from one machine, and look for them at another host."""
    network = scene.network
    target = addresses.endpoint(RECEIVER)
    source = addresses.endpoint(FORGER)
    places = {"host": network.hypervisors[RECEIVER], "machine": network.machines[RECEIVER]}
    devices = {"host": UPLINK, "machine": VM_INTERFACE}
    others = (("h1", "h5"), ("h2", "h5"), ("h1", "h4"))
    with scene.course(others, affected=((FORGER, RECEIVER),)) as course:
        before = _counters(scene)
        sessions = scene.sessions()
        watchers = {
            where: _watch(scene, node, devices[where], where) for where, node in places.items()
        }
        course.cause()
        sender = scene.start_program(
            network.machines[FORGER],
            "forge",
            *("--device", VM_INTERFACE, "--macs", source.mac, target.mac),
            *("--source", source.ip, "--destination", target.ip),
            *("--other-source", addresses.endpoint(VICTIM).ip),
            *("--control-protocol", str(CONTROL_PROTOCOL), "--count", str(COUNT)),
            *("--stop-nanos", "0"),
            name="forge",
        )
        sender.wait(timeout=30)
        polling.until(
            lambda: _counted(before, _counters(scene))[frames.FOREIGN] >= COUNT,
            "the forgeries to be counted",
            timeout_seconds=5,
        )
        polling.until(
            lambda: _journal(scene, FORGER, SPOOFED_WORDS),
            "the journal to tell of the spoofing",
            timeout_seconds=10,
        )
        counted = _counted(before, _counters(scene))
        seen = {where: _report(watcher) for where, watcher in watchers.items()}
        kept = scene.sessions() == sessions
        journal = _journal(scene, FORGER, SPOOFED_WORDS)
    finding = course.finding(
        f"a machine sends {COUNT} packets each of the control protocol, marked CE, with the"
        " reserved bit and from another's address",
        counted=counted,
        seen=seen,
    )
    finding.expect_no_gap().expect(
        expectations.at_least("honest packets that arrive", _least_honest(seen), COUNT),
        expectations.at_least("all agents kept their sessions", int(kept), 1),
        expectations.at_least("journal entries of the spoofing", len(journal), 1),
    )
    for kind in COUNTERS:
        through = max(
            each[kind]["arrived" if kind in (frames.CONTROL, frames.FOREIGN) else "forged"]
            for each in seen.values()
        )
        finding.expect(
            expectations.below(f"forgeries that get through: {kind}", through, 1),
            expectations.at_least(f"forgeries counted: {kind}", counted[kind], COUNT),
        )
    return finding


def _least_honest(seen):
    return min(each[frames.HONEST]["arrived"] for each in seen.values())


def _counters(scene):
    return scene.agents[FORGER].status()["endpoints"][0]


def _counted(before, now):
    return {kind: now[name] - before[name] for kind, name in COUNTERS.items()}


def _watch(scene, node, device, where):
    ready = scene.network.lab_run.directory / f"watching-{where}-{time.monotonic_ns()}"
    process = scene.start_program(
        node,
        "frame_watch",
        *("--device", device, "--ready-file", str(ready)),
        *("--stop-nanos", str(time.monotonic_ns() + 60 * 1_000_000_000)),
        name=f"watch-{where}",
    )
    scene.laboratory.cleanup.callback(process.kill)
    polling.until(ready.exists, "a watcher of frames", timeout_seconds=10)
    return process


def _report(process):
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=10)
    return json.loads(output.splitlines()[-1])


def _journal(scene, host, words):
    """Entries that name a host and hold some words."""
    return [
        entry
        for entry in scene.sluice.journal(JOURNAL_ENTRIES)
        if host in json.dumps(entry) and words in json.dumps(entry)
    ]


def duplicate(scene):
    """A machine takes the address of one on another host: its agent learns it and claims it."""
    machine = scene.network.machines[CLAIMANT]
    owner, claimant = addresses.endpoint(OWNER), addresses.endpoint(CLAIMANT)
    agent = scene.agents[CLAIMANT]
    listed = agent.configuration["endpoints"]
    _restart(scene, agent, {"source": "bridge"})
    others = ((OWNER, "h5"), ("h2", OWNER), ("h5", OWNER), ("h2", "h3"))
    with scene.course(others, affected=((CLAIMANT, "h5"),)) as course:
        sessions = scene.sessions()
        course.cause()
        machine.ip_command("address", "add", f"{owner.ip}/24", "dev", VM_INTERFACE)
        until = time.monotonic() + ANNOUNCE_SECONDS
        while time.monotonic() < until:
            _announce(machine, claimant.mac, owner.ip)
            time.sleep(0.25)
        claimed = owner.ip in agent.status()["endpoints"][0]["ips"]
        journal = _journal(scene, CLAIMANT, f"Address {owner.ip} is not taken over")
        holder = _holder(scene, owner.ip)
        kept = scene.sessions() == sessions
        machine.ip_command("address", "delete", f"{owner.ip}/24", "dev", VM_INTERFACE)
    _restart(scene, agent, listed)
    finding = course.finding(
        f"{CLAIMANT}'s machine announces {owner.ip}, which is {OWNER}'s, from another host",
        holder=holder,
        claimReachedItsAgent=claimed,
        journal=[entry["decision"] for entry in journal][:1],
    )
    return finding.expect_no_gap().expect(
        expectations.at_least("the claim reached Sluice", int(claimed), 1),
        expectations.at_least("the first owner keeps it", int(holder == [OWNER]), 1),
        expectations.at_least("journal entries of the refusal", len(journal), 1),
        expectations.at_least("all agents kept their sessions", int(kept), 1),
    )


def _restart(scene, agent, endpoints):
    agent.stop()
    agent.reconfigure({"endpoints": endpoints})
    agent.start()
    scene.wait_until_normal()
    scene.site.wait_for_endpoints()


def _holder(scene, ip):
    return sorted(each["host"] for each in scene.sluice.endpoints() if ip in each["ips"])


def _announce(machine, mac, ip):
    """A gratuitous ARP reply and request, as a machine sends that has just got an address."""
    program = (
        "import socket,sys\n"
        "s=socket.socket(socket.AF_PACKET,socket.SOCK_RAW)\n"
        f"s.bind(({VM_INTERFACE!r},0))\n"
        "[s.send(bytes.fromhex(each)) for each in sys.argv[1:]]\n"
    )
    own, address = mac.replace(":", ""), socket.inet_aton(ip).hex()
    beginning = "ff" * 6 + own + "0806" + "0001080006040001"
    announcements = [
        beginning + own + address + "00" * 6 + address,
        beginning[:-4] + "0002" + own + address + "ff" * 6 + address,
    ]
    machine.check(["python3", "-c", program, *announcements])


FAULTS = (
    Fault("forging-vm", "a machine that forges control messages, marks and addresses", 8, forged),
    Fault("duplicate-address", "a machine that claims an address of another host's", 20, duplicate),
)
