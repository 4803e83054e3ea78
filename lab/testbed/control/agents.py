# SPDX-License-Identifier: Apache-2.0
"""The agents of a network: one per hypervisor, and one as the port of each wire."""

from ipaddress import ip_address

from testbed.control.agent_process import Agent
from testbed.control.certificates import tls_files
from testbed.network import addresses
from testbed.network.topology import UPLINK, vm_port
from testbed.network.wire import LEFT, RIGHT

MARK_AFTER_SECONDS = 0.002
LEAST_MARK_THRESHOLD_PACKETS, GREATEST_MARK_THRESHOLD_PACKETS = 4, 20
PACKET_BITS = 1500 * 8
BUFFER_PACKETS = 100
# Where it matters whose packets were marked. The switches here are processes that poll their
# ports in turn. Batches last about a millisecond, and in each the same port's packets would
# find the others' in the queue: docs/hygenicc.md.
MARKS_BY_BATCH = {"backlogHoldMicros": 1000}
# Transfers of 10,000 bytes are below the threshold with their headers: all of them is of the first
# level.
LEVELS_OF_HOSTS = {"thresholdBytes": [16384], "dscp": [16, 0]}
LEVELS_OF_PORTS = {"dscp": LEVELS_OF_HOSTS["dscp"]}
TAU_MICROS, GREATEST_TAU_MICROS = 2500, 5000
PACKETS_PER_TAU = 125_000 / 12_000  # as a 50 Mbit/s bottleneck passes in 2.5 ms
LEASE_MILLIS = 5000
ENDPOINT_SOURCES = STATIC, BRIDGE = "static", "bridge"
METRICS_PORT = 9631


def endpoints_of(plan, host, source):
    """How a host's agent finds its endpoints: by a configured list, or learned from its bridge."""
    machines = {vm_port(plan, machine): machine for machine in plan.machines_on(host)}
    if source == BRIDGE:
        # Tenants' members are prefixes: learned addresses count there only where this allows them.
        own = {
            interface: [
                f"{ip}/{ip_address(ip).max_prefixlen}" for ip in addresses.endpoint(machine).ips
            ]
            for interface, machine in machines.items()
        }
        return {"source": BRIDGE, "learnWithin": own}
    listed = []
    for interface, machine in machines.items():
        endpoint = addresses.endpoint(machine)
        listed.append({"interface": interface, "mac": endpoint.mac, "ips": endpoint.ips})
    return {"source": STATIC, "static": listed}


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

    capacity_mbps: of the uplink; controllers: addresses HOST:PORT of the agent link; tau_micros:
    the host loop's period.
    """
    configuration = {
        "host": host,
        "controllers": list(controllers),
        "uplink": {"interface": UPLINK, "capacityMbps": capacity_mbps},
        "endpoints": endpoints_of(network.plan, host, endpoints_source),
        "antiSpoof": True,
        "ecn": "clear",
        "enforcement": "on",
        "leaseMillis": LEASE_MILLIS,
        "tauMicros": tau_micros,
        "traceFile": str(network.lab_run.directory / f"trace-{host}.jsonl"),
    }
    if pki_directory is not None:
        configuration["tls"] = tls_files(pki_directory, host)
    return Agent(network.lab_run, network.hypervisors[host], "run", configuration)


def mark_threshold_packets(capacity_mbps):
    """K of the bottleneck: as many packets as it sends in 2 ms, but 4 to 20 (8 at 50 Mbit/s)."""
    packets = int(capacity_mbps * 1e6 * MARK_AFTER_SECONDS / PACKET_BITS)
    return max(LEAST_MARK_THRESHOLD_PACKETS, min(packets, GREATEST_MARK_THRESHOLD_PACKETS))


def marks_above(threshold_packets):
    """What a port agent's configuration has where its queue marks above K."""
    return {"markThresholdPackets": threshold_packets, "marking": None}


def slope_thresholds(threshold_packets):
    """K1 and K2 for marks by slope, packets, where K is DCTCP's: 6 and 9 for 8.

    A queue marks at K2, and above K: what DCTCP's would mark is marked. Measured: docs/da-dctcp.md.
    """
    return {"k1Packets": max(1, threshold_packets * 3 // 4), "k2Packets": threshold_packets + 1}


def marks_by_slope(thresholds):
    """What a port agent's configuration has where its queue marks by slope from K1 to K2."""
    return {"markThresholdPackets": 0, "marking": {"kind": "slope", **thresholds}}


def queue_bound_micros(thresholds, capacity_mbps):
    """What a queue of K2 packets adds to a round trip, for DA-DCTCP's senders."""
    return round(thresholds["k2Packets"] * PACKET_BITS / capacity_mbps)


def tau_micros(capacity_mbps):
    """The host loop's period for a bottleneck: the time in which it sends ten packets.

    Between 2.5 ms (at 50 Mbit/s and above) and 5 ms.
    """
    micros = PACKETS_PER_TAU * PACKET_BITS / capacity_mbps
    return round(max(TAU_MICROS, min(micros, GREATEST_TAU_MICROS)))


def port_agent(network, link, capacity_mbps):
    """The agent that queues for the port of a wire's left switch: the bottleneck."""
    port_id = network.port_id(link.left)
    return port_agent_of(network.lab_run, network.wires[link], port_id, capacity_mbps)


def port_agent_of(lab_run, wire, port_id, capacity_mbps):
    """The agent that queues for a port in a wire."""
    configuration = {
        "port": port_id,
        "ingress": LEFT,
        "egress": RIGHT,
        "capacityMbps": capacity_mbps,
        "bufferPackets": BUFFER_PACKETS,
        "markThresholdPackets": mark_threshold_packets(capacity_mbps),
        "nonEct": "pass",
        "reverse": True,
    }
    return Agent(lab_run, wire, "port", configuration)


def with_metrics(network, agent):
    """The agent, which serves its metrics on the management network from its next start on."""
    address = network.management.addresses[agent.node.name]
    agent.reconfigure({"metricsAddress": f"{address}:{METRICS_PORT}"})
    return agent


def port_host(agent):
    """A port agent's host name on the agent link."""
    return agent.node.name


def port_link(agent, controllers, pki_directory):
    """The part of a port agent's configuration that connects it to controllers."""
    host = port_host(agent)
    return {"host": host, "controllers": list(controllers), "tls": tls_files(pki_directory, host)}
