# SPDX-License-Identifier: Apache-2.0
"""Sluice's agents in the testbed: one per hypervisor, one as the port of the wire."""

import json
import signal
import subprocess

from testbed.network import addresses
from testbed.network.topology import UPLINK, VM_PORT
from testbed.network.wire import LEFT, RIGHT
from testbed.system import polling, processors, repository
from testbed.system.errors import LabError
from testbed.system.shell import run

BINARY = repository.ROOT / "host-agent" / "bin" / "sluice-agent"
MAKE_CERTIFICATES = repository.ROOT / "lab" / "pki" / "make-certificates"
MARK_AFTER_SECONDS = 0.002
LEAST_MARK_THRESHOLD_PACKETS, GREATEST_MARK_THRESHOLD_PACKETS = 4, 20
PACKET_BITS = 1500 * 8
BUFFER_PACKETS = 100
TAU_MICROS, GREATEST_TAU_MICROS = 2500, 5000
PACKETS_PER_TAU = 125_000 / 12_000  # as a 50 Mbit/s bottleneck passes in 2.5 ms
LEASE_MILLIS = 5000
AGENT_LINK_PORT = 6680
ENDPOINT_SOURCES = STATIC, BRIDGE = "static", "bridge"


class Agent:
    """One sluice-agent process in a namespace, with its own run directory and pins."""

    def __init__(self, lab_run, node, subcommand, configuration):
        self.lab_run = lab_run
        self.node = node
        self.subcommand = subcommand
        self.directory = lab_run.directory / f"agent-{node.name}"
        self.run_directory = self.directory / "run"
        self.run_directory.mkdir(parents=True)
        self.log_file = self.directory / "agent.log"
        self.configuration_file = self.directory / "agent.yaml"
        self.configuration = {
            "runDirectory": str(self.run_directory),
            "bpfDirectory": str(lab_run.bpf_directory / node.name),
        }
        self.reconfigure(configuration)
        self.process = None

    def reconfigure(self, more):
        """Add to its configuration, or change it; it reads that when it starts."""
        self.configuration |= more
        # JSON is YAML: no library needed to write it.
        text = json.dumps(self.configuration, indent=1)
        self.configuration_file.write_text(text, encoding="utf-8")

    def start(self):
        """Start the agent and wait until it answers."""
        with open(self.log_file, "ab") as log:
            self.process = self.node.popen(
                [
                    *processors.SERVICE_PRIORITY,
                    *(str(BINARY), self.subcommand, "--config", str(self.configuration_file)),
                ],
                stdout=log,
                stderr=log,
            )
        polling.until(self._answers, f"the agent on {self.node.name} to answer", timeout_seconds=20)

    def _answers(self):
        if self.process.poll() is not None:
            raise AgentEnded(self.node.name, self.process.returncode, self.last_words())
        return self.status()

    @property
    def has_ended(self):
        """Whether it was started and runs no longer."""
        return self.process is not None and self.process.poll() is not None

    def last_words(self):
        """The last line of its log."""
        lines = self.log_file.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "no output")

    def status(self):
        """What the agent says about itself (decoded JSON)."""
        return json.loads(self._call("status", "--json"))

    def limit(self, interface, mbps):
        """Set (Mbit/s) or lift (None) the operator's rate of an endpoint."""
        self._call("limit", interface, "off" if mbps is None else f"{mbps:g}")

    def _call(self, *words):
        return self.node.check([str(BINARY), *words, "--run-dir", str(self.run_directory)])

    def stop(self):
        """End the agent the way an operator would; it removes its own traces."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def kill(self):
        """End the agent without any warning; its limits stay for a lease, its traces for longer."""
        self.process.kill()
        self.process.wait()
        self.process = None

    @property
    def pins(self):
        """BPF pins of this agent that exist now."""
        place = self.lab_run.bpf_directory / self.node.name
        return sorted(str(path) for path in place.rglob("*") if path.is_file())


class AgentEnded(Exception):
    """The agent ended instead of starting; not retried, unlike LabError while waiting."""

    def __init__(self, name, status, words):
        super().__init__(f"the agent on {name} ended with status {status}: {words}")


def require_binary():
    """Raise LabError when the agent was not built."""
    if not BINARY.exists():
        raise LabError(
            f"{BINARY.relative_to(repository.ROOT)} is missing: build it with 'make build'"
        )


def endpoints_of(host, source):
    """How the agent of a host is to find its endpoint: listed for it, or learnt from its bridge."""
    if source == BRIDGE:
        return {"source": BRIDGE}
    endpoint = addresses.endpoint(host)
    listed = {"interface": VM_PORT, "mac": endpoint.mac, "ips": endpoint.ips}
    return {"source": STATIC, "static": [listed]}


def host_agent(
    network,
    host,
    capacity_mbps,
    controllers=(),
    pki_directory=None,
    endpoints_source=STATIC,
    tau_micros=TAU_MICROS,
):
    """The agent of a hypervisor.

    controllers: addresses HOST:PORT of the agent link; tau_micros: the host loop's period.
    """
    configuration = {
        "host": host,
        "controllers": list(controllers),
        "uplink": {"interface": UPLINK, "capacityMbps": capacity_mbps},
        "endpoints": endpoints_of(host, endpoints_source),
        "antiSpoof": True,
        "ecn": "clear",
        "enforcement": "on",
        "leaseMillis": LEASE_MILLIS,
        "tauMicros": tau_micros,
        "traceFile": str(network.lab_run.directory / f"trace-{host}.jsonl"),
    }
    if pki_directory is not None:
        configuration["tls"] = _tls(pki_directory, host)
    return Agent(network.lab_run, network.hypervisors[host], "run", configuration)


def _tls(pki_directory, host):
    return {
        "ca": str(pki_directory / "ca.pem"),
        "certificate": str(pki_directory / f"{host}.pem"),
        "key": str(pki_directory / f"{host}.key"),
    }


def mark_threshold_packets(capacity_mbps):
    """K of the bottleneck: what it sends in 2 ms, but 4 to 20 packets (8 at 50 Mbit/s)."""
    packets = int(capacity_mbps * 1e6 * MARK_AFTER_SECONDS / PACKET_BITS)
    return max(LEAST_MARK_THRESHOLD_PACKETS, min(packets, GREATEST_MARK_THRESHOLD_PACKETS))


def tau_micros(capacity_mbps):
    """The host loop's period for a bottleneck: as long as it takes to pass ten packets.

    Between 2.5 ms (at 50 Mbit/s and above) and 5 ms.
    """
    micros = PACKETS_PER_TAU * PACKET_BITS / capacity_mbps
    return round(max(TAU_MICROS, min(micros, GREATEST_TAU_MICROS)))


def port_agent(network, link, capacity_mbps):
    """The agent that plays the port of a wire's left switch towards that wire: the bottleneck."""
    configuration = {
        "port": network.port_id(link.left),
        "ingress": LEFT,
        "egress": RIGHT,
        "capacityMbps": capacity_mbps,
        "bufferPackets": BUFFER_PACKETS,
        "markThresholdPackets": mark_threshold_packets(capacity_mbps),
        "nonEct": "pass",
        "reverse": True,
    }
    return Agent(network.lab_run, network.wires[link], "port", configuration)


def port_host(agent):
    """The name by which a port agent goes on the agent link."""
    return agent.node.name


def port_link(agent, controllers, pki_directory):
    """What a port agent's configuration needs for the agent link besides the rest."""
    host = port_host(agent)
    return {"host": host, "controllers": list(controllers), "tls": _tls(pki_directory, host)}


def make_certificates(network, server_addresses):
    """Certificates of this run for the controller, all hosts and all wires' port agents.

    Returns their directory.
    """
    directory = network.lab_run.directory / "pki"
    wires = {wire.name: network.port_id(link.left) for link, wire in network.wires.items()}
    switches = [f"{name}={port.partition('/')[0]}" for name, port in wires.items()]
    run(
        [
            str(MAKE_CERTIFICATES),
            *("--out", str(directory), "--server", *server_addresses),
            *("--host", *network.plan.hosts, *wires),
            *(("--switch", *switches) if switches else ()),
        ]
    )
    return directory
