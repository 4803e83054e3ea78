# SPDX-License-Identifier: Apache-2.0
"""What agents and Sluice count of losses and their answers."""

PORT_COUNTERS = {
    "dropped": "droppedPackets",
    "reported": "reportedLosses",
    "unreported": "unreportedLosses",
    "sentAgain": "resentPackets",
}
HOST_COUNTERS = {"duplicates": "duplicateAcknowledgements"}


def read(deployment):
    """{name: count so far}, over all agents; packetOuts are what Sluice sent again itself."""
    port = deployment.port_agent.status()
    hosts = [agent.status()["flows"] for agent in deployment.host_agents.values()]
    found = {name: port[key] for name, key in PORT_COUNTERS.items()}
    for name, key in HOST_COUNTERS.items():
        found[name] = sum(host[key] for host in hosts)
    found["packetOuts"] = deployment.sluice.deadlines()["losses"]["packetOuts"]
    return found


def between(before, after):
    """What was counted in between."""
    return {name: after[name] - before[name] for name in after}
