# SPDX-License-Identifier: Apache-2.0
"""The steps from two bare hosts to a guarantee: where each stands, and what is so after it."""

from testbed.experiments.operations.steps import REPOSITORY, Step
from testbed.experiments.operations.two_hosts import WORK

PLACE = "docs/bridges.md", "Ten commands"
GUARANTEE_MBPS = 60
LEAST_PART = 0.9  # TCP's payload of a guarantee in frames, and some time to begin with

COPIED = {"install sluiced": f"mkdir {WORK}; cp -r pki host-agent/bin/*.deb {WORK}"}
ON_H2 = {"h1": ["h2"]}


def _has_certificates(site):
    return site.machine.run("ls", f"{REPOSITORY}/pki/h2.pem")


def _serves(site):
    return site.get("access")["role"] == "admin"


def _is_connected(name):
    def check(site):
        host = next((each for each in site.get("hosts")["hosts"] if each["id"] == name), None)
        return host and host["connected"]

    return check


def _is_guaranteed(site):
    (gold,) = [each for each in site.get("tenants")["tenants"] if each["id"] == "gold"]
    return gold["guaranteeBitsPerSecond"] == GUARANTEE_MBPS * 10**6 and (
        site.tcp_beside_a_flood() >= GUARANTEE_MBPS * LEAST_PART
    )


STEPS = (
    Step(
        *("make certificates", *PLACE, "lab/pki/make-certificates"),
        "both hosts have one",
        _has_certificates,
    ),
    Step(
        *("install sluiced", *PLACE, "dpkg -i sluiced_"),
        "its REST answers",
        _serves,
        where=WORK,
    ),
    Step(
        *("install h1's agent", *PLACE, "dpkg -i sluice-agent_"),
        "it is connected",
        _is_connected("h1"),
        where=WORK,
    ),
    Step(
        *("install h2's agent", *PLACE, "dpkg -i sluice-agent_"),
        "it is connected",
        _is_connected("h2"),
        where=WORK,
        host="h2",
        names=ON_H2,
    ),
    Step(
        *("guarantee", *PLACE, "SLUICE_PASSWORD_FILE="),
        f"TCP has its {GUARANTEE_MBPS} Mbit/s beside a flood",
        _is_guaranteed,
        where=WORK,
    ),
)
