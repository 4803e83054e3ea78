# SPDX-License-Identifier: Apache-2.0
"""Another application's rules."""

from types import SimpleNamespace

from testbed.experiments.forwarding import third_party_rules
from testbed.network import addresses
from testbed.network.plan import DUMBBELL


def test_they_route_every_host_on_every_switch():
    switches = {
        name: SimpleNamespace(device_id=f"of:{number}")
        for number, name in enumerate(DUMBBELL.switches)
    }
    flows = third_party_rules.rules(SimpleNamespace(plan=DUMBBELL, switches=switches))["flows"]
    routes = [flow for flow in flows if flow["priority"] == third_party_rules.ROUTE_PRIORITY]
    assert len(routes) == len(DUMBBELL.switches) * len(addresses.HOSTS)
    last = routes[-1]
    assert last["deviceId"] == "of:1"
    assert last["selector"]["criteria"][1] == {"type": "IPV4_DST", "ip": "10.0.0.5/32"}
    assert last["treatment"]["instructions"] == [{"type": "OUTPUT", "port": "1"}]
