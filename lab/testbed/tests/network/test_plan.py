# SPDX-License-Identifier: Apache-2.0
"""Plans of networks and the addresses in them."""

import ipaddress
import itertools

import pytest

from testbed.network import addresses
from testbed.network.plan import DUMBBELL, LEAF_SPINE, PLANS, TENANTS, WIRE_PORT, leaf_spine
from testbed.network.topology import vm_port


def test_routes_lead_over_the_wire_to_the_other_side():
    assert DUMBBELL.routes("s1") == {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": WIRE_PORT}
    assert DUMBBELL.routes("s2") == {
        **dict.fromkeys(addresses.SENDERS, WIRE_PORT),
        addresses.RECEIVER: 1,
    }


def test_further_machines_of_a_host_are_behind_its_port_each_at_an_interface_of_its_own():
    assert TENANTS.machines_on("h8") == ["h8", "h11", "h12"]
    assert TENANTS.machines_on("h1") == ["h1"]
    assert [vm_port(TENANTS, name) for name in ("h1", "h8", "h11", "h12")] == [
        *("vm0", "vm0", "vm1", "vm2"),
    ]
    for switch in TENANTS.switches:
        routes = TENANTS.routes(switch)
        assert routes["h11"] == routes["h12"] == routes["h8"]


def test_routes_of_leaf_and_spine():
    assert LEAF_SPINE.routes("s1") == {"h1": 1, "h2": 2, "h3": 3, "h4": 3}
    assert LEAF_SPINE.routes("s3") == {"h1": 1, "h2": 1, "h3": 2, "h4": 2}


def test_spread_routes_take_each_spine_for_some_machines():
    assert LEAF_SPINE.spread_routes("s1") == {"h1": 1, "h2": 2, "h3": 4, "h4": 3}
    assert LEAF_SPINE.spread_routes("s3") == LEAF_SPINE.routes("s3")
    assert DUMBBELL.spread_routes("s2") == DUMBBELL.routes("s2")


def test_what_would_close_a_loop_is_outside_of_the_tree():
    assert LEAF_SPINE.outside_of_tree() == {"s1": set(), "s2": {4}, "s3": set(), "s4": {2}}
    assert not any(DUMBBELL.outside_of_tree().values())


@pytest.mark.parametrize("plan", [*PLANS.values(), leaf_spine(3, 4, 5)], ids=lambda plan: plan.name)
def test_no_port_is_used_twice_and_every_switch_reaches_every_host(plan):
    ends = [*plan.places.values(), *(end for link in plan.links for end in link.ends)]
    assert len(ends) == len(set(ends))
    for switch in plan.switches:
        assert plan.ports(switch) == sorted(number for name, number in ends if name == switch)
        assert set(plan.routes(switch)) == set(plan.machines)
        assert set(plan.routes(switch).values()) <= set(plan.ports(switch))


def test_every_leaf_is_joined_to_every_spine():
    plan = leaf_spine(3, 2, 1)
    joined = {(link.left[0], link.right[0]) for link in plan.links}
    assert joined == set(itertools.product(["s1", "s2", "s3"], ["s4", "s5"]))


def test_the_dumbbell_alone_has_a_wire():
    assert [link.left for link in DUMBBELL.wires] == [("s1", WIRE_PORT)]
    assert LEAF_SPINE.wires == []


def test_endpoints_have_addresses_of_both_families_and_share_none():
    seen = [addresses.endpoint(f"h{number}") for number in range(1, 21)]
    for endpoint in seen:
        for ip, version in zip(endpoint.ips, (4, 6), strict=True):
            assert ipaddress.ip_address(ip).version == version
            assert endpoint.address(version) == ip
    assert len({ip for endpoint in seen for ip in endpoint.ips}) == 2 * len(seen)
    assert len({endpoint.mac for endpoint in seen}) == len(seen)
