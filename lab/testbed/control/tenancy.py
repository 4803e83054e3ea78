# SPDX-License-Identifier: Apache-2.0
"""The tenants and capacities of a network that Sluice is configured with."""

from testbed.network import addresses


def tenant_of(host):
    """Tenant of the endpoint of a host's machine, or of a further one: t1 for h1 and so on."""
    return f"t{host[1:]}"


def tenant(host, weight=1):
    """The REST document of a host's tenant."""
    return tenant_with([host], weight)


def tenant_with(hosts, weight=1, **rates_mbps):
    """The REST document of a tenant with the endpoints of several machines.

    rates_mbps: guarantee, ceiling, receiveCeiling; 0 is none.
    """
    members = [{"ipPrefix": f"{addresses.endpoint(host).ip}/32"} for host in hosts]
    return {"weight": weight, "members": members, **rates(**rates_mbps)}


def rates(**rates_mbps):
    """These of a tenant's REST document."""
    return {f"{name}BitsPerSecond": round(mbps * 1e6) for name, mbps in rates_mbps.items() if mbps}


def topology(plan, capacity_mbps):
    """What sluiced takes as its topology: switches, links with capacities, hosts.

    capacity_mbps: of links whose plan has none.
    """
    return {
        "switches": {
            name: f"of:{number:016x}" for number, name in enumerate(plan.switches, start=1)
        },
        "links": [
            {
                "ends": [f"{switch}/{port}" for switch, port in link.ends],
                "capacityMbps": link.capacity_mbps or capacity_mbps,
            }
            for link in plan.links
        ],
        "hosts": {host: f"{switch}/{port}" for host, (switch, port) in plan.places.items()},
    }


def capacities(network, capacity_mbps):
    """The network configuration with the capacity of both ends of every wire.

    capacity_mbps: of the wires whose plan has none.
    """
    return {
        "ports": {
            network.port_id(end): {"capacityMbps": link.capacity_mbps or capacity_mbps}
            for link in network.plan.wires
            for end in link.ends
        }
    }
