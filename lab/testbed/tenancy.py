# SPDX-License-Identifier: Apache-2.0
"""Tenants and capacities of the dumbbell, as Sluice is told of them."""

from testbed import addresses


def tenant_of(host):
    """Tenant of the endpoint behind a host: t1 for h1 and so on."""
    return f"t{host[1:]}"


def tenant(host, weight=1):
    """The REST document of a host's tenant."""
    return {
        "weight": weight,
        "members": [{"ipPrefix": f"{addresses.endpoint(host).ip}/32"}],
    }


def capacities(switches, capacity_mbps):
    """The netcfg entry that says what both ends of the wire can carry."""
    ports = [switch.port_id(addresses.WIRE_PORT) for switch in switches]
    return {"ports": {port: {"capacityMbps": capacity_mbps} for port in ports}}
