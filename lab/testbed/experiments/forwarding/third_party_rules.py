# SPDX-License-Identifier: Apache-2.0
"""Another application's forwarding: plain rules, installed by ONOS's own REST interface."""

from testbed.network import addresses

IPV4, ARP = "0x800", "0x806"
# Above ONOS's own rule for ARP packets (40000), which sends them to the controller only.
ARP_PRIORITY, ROUTE_PRIORITY = 41_000, 100
# Reserved ports by ONOS's names for them: it takes their numbers for ordinary ports.
FLOOD, TO_CONTROLLER = "FLOOD", "CONTROLLER"


def rules(network):
    """The document for POST /onos/v1/flows: one route per host and switch, ARP flooded.

    For networks without loops.
    """
    flows = []
    for name, switch in network.switches.items():
        flows.append(
            _rule(
                switch.device_id,
                ARP_PRIORITY,
                [{"type": "ETH_TYPE", "ethType": ARP}],
                [FLOOD, TO_CONTROLLER],
            )
        )
        for host, port in network.plan.routes(name).items():
            target = f"{addresses.endpoint(host).ip}/32"
            criteria = [{"type": "ETH_TYPE", "ethType": IPV4}, {"type": "IPV4_DST", "ip": target}]
            flows.append(_rule(switch.device_id, ROUTE_PRIORITY, criteria, [port]))
    return {"flows": flows}


def _rule(device_id, priority, criteria, ports):
    return {
        "deviceId": device_id,
        "priority": priority,
        "timeout": 0,
        "isPermanent": True,
        "tableId": 0,
        "selector": {"criteria": criteria},
        "treatment": {"instructions": [{"type": "OUTPUT", "port": str(port)} for port in ports]},
    }
