# SPDX-License-Identifier: Apache-2.0
"""TCP that takes the network's marks: congestion controls that an agent puts into the kernel."""

from testbed.control import tenancy
from testbed.runs.registry import NETNS_BASE

SLUICE_DCTCP, SLUICE_DADCTCP = "sluice_dctcp", "sluice_dadctcp"


def settings(receiver, controls):
    """What an agent's configuration has for congestion controls, none of them included.

    receiver: the machine that receives by the first, so that it returns marks as DCTCP does. All
    sockets of the computer can send by any of them, whichever agent loads them.
    """
    namespace = str(NETNS_BASE / receiver.netns)
    return {
        "congestionControls": list(controls),
        "congestionNamespaces": [{"namespace": namespace, "use": name} for name in controls[:1]],
    }


def let_marks_through(deployment, through):
    """Whether machines see marks of connections that negotiate ECN, which these then do."""
    for name in deployment.machines:
        document = tenancy.tenant(name) | {"ecn": "preserve" if through else "clear"}
        deployment.sluice.put_tenant(tenancy.tenant_of(name), document)
    request_ecn(deployment, through)


def request_ecn(deployment, requested):
    """Whether machines request ECN for connections, or agree to it where their peer does."""
    for machine in deployment.network.machines.values():
        # 2, Linux's default: if the peer requests it.
        machine.check(["sysctl", "-q", "-w", f"net.ipv4.tcp_ecn={1 if requested else 2}"])
