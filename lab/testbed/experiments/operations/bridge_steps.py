# SPDX-License-Identifier: Apache-2.0
"""The steps from two bare hosts to a guarantee: where each stands, and what is so after it."""

from testbed.experiments.operations.steps import REPOSITORY

BRIDGES, TEN_COMMANDS = "docs/bridges.md", "Ten commands"
HOST_DIRECTORY = "/srv"
GUARANTEE_MBPS = 60
# TCP's payload of its guarantee in frames.
LEAST_PART = 0.9


def _packages_are_built(site):
    names = " ".join(("host-agent/bin/sluice-agent", "host-agent/bin/sluicectl"))
    built = site.machine.run(
        "bash", "-c", f"cd {REPOSITORY}; for each in {names}; do ls $each; done"
    )
    return len(built.split()) == 2


def _serves(site):
    return site.get("access")["role"] == "admin"


def _is_connected(name):
    def check(site):
        host = site.host(name)
        return host and host["connected"]

    return check


def _is_guaranteed(site):
    (gold,) = [each for each in site.get("tenants")["tenants"] if each["id"] == "gold"]
    return gold["guaranteeMbps"] == GUARANTEE_MBPS and (
        site.tcp_beside_a_flood() >= GUARANTEE_MBPS * LEAST_PART
    )


def _carry_to(host):
    """Copy packages and a host's keys from where they were built: the page says which."""

    def carry(site):
        site.copy(f"{REPOSITORY}/host-agent/bin/*.deb {REPOSITORY}/pki", host, HOST_DIRECTORY)

    return carry


STEPS = ()
COPIED = {}
