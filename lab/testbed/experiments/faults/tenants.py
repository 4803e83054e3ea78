# SPDX-License-Identifier: Apache-2.0
"""Malicious virtual machines: forged packets, and another machine's address."""

import contextlib
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
from testbed.system.errors import LabError

CONTROL_PROTOCOL = 253
FORGER, VICTIM, RECEIVER = "h3", "h2", "h5"
COUNT = 50
COUNTERS = {
    frames.CONTROL: "forgedControlPackets",
    frames.MARK: "forgedCePackets",
    frames.RESERVED: "forgedReservedBitPackets",
    frames.SPOOFED: "spoofedPackets",
}
SPOOFING_TEXT = "not its own"
CLAIMANT, OWNER = "h4", "h1"
JOURNAL_ENTRIES = 200
ANNOUNCE_SECONDS, REFUSED_WITHIN_SECONDS = 4, 15
ANNOUNCE_EVERY_SECONDS = 0.25


def forged(environment):
    """Send each kind of forged packet from one machine, and count them at another host."""
    network = environment.network
    target = addresses.endpoint(RECEIVER)
    source = addresses.endpoint(FORGER)
    places = {"host": network.hypervisors[RECEIVER], "machine": network.machines[RECEIVER]}
    devices = {"host": UPLINK, "machine": VM_INTERFACE}
    others = (("h1", "h5"), ("h2", "h5"), ("h1", "h4"))
    with environment.observe(others, affected=((FORGER, RECEIVER),)) as observation:
        before = _counters(environment)
        sessions = environment.sessions()
        counters = {
            where: _count(environment, node, devices[where], where)
            for where, node in places.items()
        }
        observation.mark_fault()
        sender = environment.start_program(
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
            lambda: _counted(before, _counters(environment))[frames.SPOOFED] >= COUNT,
            "the forgeries to be counted",
            timeout_seconds=5,
        )
        polling.until(
            lambda: _journal(environment, FORGER, SPOOFING_TEXT),
            "the journal's entry of the spoofing",
            timeout_seconds=10,
        )
        counted = _counted(before, _counters(environment))
        received = {where: _report(counter) for where, counter in counters.items()}
        kept = environment.sessions() == sessions
        journal = _journal(environment, FORGER, SPOOFING_TEXT)
    finding = observation.finding(
        f"a machine sends {COUNT} packets each of the control protocol, marked CE, with the"
        " reserved bit and from another's address",
        counted=counted,
        received=received,
    )
    finding.expect_no_gap().expect(
        expectations.at_least("honest packets that arrive", _least_unforged(received), COUNT),
        expectations.at_least("all agents kept their sessions", int(kept), 1),
        expectations.at_least("journal entries of the spoofing", len(journal), 1),
    )
    for kind in COUNTERS:
        through = max(
            each[kind]["arrived" if kind in (frames.CONTROL, frames.SPOOFED) else "forged"]
            for each in received.values()
        )
        finding.expect(
            expectations.below(f"forgeries that get through: {kind}", through, 1),
            expectations.at_least(f"forgeries counted: {kind}", counted[kind], COUNT),
        )
    return finding


def _least_unforged(received):
    return min(each[frames.HONEST]["arrived"] for each in received.values())


def _counters(environment):
    return environment.agents[FORGER].status()["endpoints"][0]


def _counted(before, now):
    return {kind: now[name] - before[name] for kind, name in COUNTERS.items()}


def _count(environment, node, device, where):
    ready = environment.network.lab_run.directory / f"counting-{where}-{time.monotonic_ns()}"
    process = environment.start_program(
        node,
        "frame_counter",
        *("--device", device, "--ready-file", str(ready)),
        *("--stop-nanos", str(time.monotonic_ns() + 60 * 1_000_000_000)),
        name=f"count-{where}",
    )
    environment.laboratory.cleanup.callback(process.kill)
    polling.until(ready.exists, "a counter of frames", timeout_seconds=10)
    return process


def _report(process):
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=10)
    return json.loads(output.splitlines()[-1])


def _journal(environment, host, text):
    """Entries that contain a host's name and a text."""
    return [
        entry
        for entry in environment.sluice.journal(JOURNAL_ENTRIES)
        if host in json.dumps(entry) and text in json.dumps(entry)
    ]


def duplicate(environment):
    """A machine uses the address of one on another host; its agent has to refuse it."""
    machine = environment.network.machines[CLAIMANT]
    owner, claimant = addresses.endpoint(OWNER), addresses.endpoint(CLAIMANT)
    agent = environment.agents[CLAIMANT]
    listed = agent.configuration["endpoints"]
    _restart(environment, agent, {"source": "bridge"})
    others = ((OWNER, "h5"), ("h2", OWNER), ("h5", OWNER), ("h2", "h3"))
    with environment.observe(others, affected=((CLAIMANT, "h5"),)) as observation:
        sessions = environment.sessions()
        observation.mark_fault()
        machine.ip_command("address", "add", f"{owner.ip}/24", "dev", VM_INTERFACE)
        refusal = f"Address {owner.ip} is not taken over"
        announced_until = time.monotonic() + ANNOUNCE_SECONDS

        def is_refused_by_agent():
            return owner.ip in agent.status()["endpoints"][0]["refusedIps"]

        def is_refused():
            _announce(machine, claimant.mac, owner.ip)
            is_over = time.monotonic() >= announced_until
            return is_over and is_refused_by_agent() and _journal(environment, CLAIMANT, refusal)

        with contextlib.suppress(LabError):  # what is missing fails its expectation
            polling.until(
                is_refused,
                "the refusal of the address",
                timeout_seconds=REFUSED_WITHIN_SECONDS,
                interval_seconds=ANNOUNCE_EVERY_SECONDS,
            )
        refused = is_refused_by_agent()
        journal = _journal(environment, CLAIMANT, refusal)
        holder = _holder(environment, owner.ip)
        kept = environment.sessions() == sessions
        machine.ip_command("address", "delete", f"{owner.ip}/24", "dev", VM_INTERFACE)
    _restart(environment, agent, listed)
    finding = observation.finding(
        f"{CLAIMANT}'s machine announces {owner.ip}, which belongs to {OWNER}'s machine",
        holder=holder,
        refusedByAgent=refused,
        journal=[entry["decision"] for entry in journal][:1],
    )
    return finding.expect_no_gap().expect(
        expectations.at_least("the claimant's agent refuses it", int(refused), 1),
        expectations.at_least("the first owner keeps it", int(holder == [OWNER]), 1),
        expectations.at_least("journal entries of the refusal", len(journal), 1),
        expectations.at_least("all agents kept their sessions", int(kept), 1),
    )


def _restart(environment, agent, endpoints):
    agent.stop()
    agent.reconfigure({"endpoints": endpoints})
    agent.start()
    environment.wait_until_normal()
    environment.deployment.wait_for_endpoints()


def _holder(environment, ip):
    return sorted(each["host"] for each in environment.sluice.endpoints() if ip in each["ips"])


def _announce(machine, mac, ip):
    """Gratuitous ARP requests and replies, as a machine with a new address sends them."""
    program = (
        "import socket,sys\n"
        "s=socket.socket(socket.AF_PACKET,socket.SOCK_RAW)\n"
        f"s.bind(({VM_INTERFACE!r},0))\n"
        "[s.send(bytes.fromhex(each)) for each in sys.argv[1:]]\n"
    )
    own, address = mac.replace(":", ""), socket.inet_aton(ip).hex()
    prefix = "ff" * 6 + own + "0806" + "0001080006040001"
    announcements = [
        prefix + own + address + "00" * 6 + address,
        prefix[:-4] + "0002" + own + address + "ff" * 6 + address,
    ]
    machine.check(["python3", "-c", program, *announcements])


FAULTS = (
    Fault("forging-vm", "a machine that forges control messages, marks and addresses", 8, forged),
    Fault("duplicate-address", "a machine that claims the address of another one", 20, duplicate),
)
