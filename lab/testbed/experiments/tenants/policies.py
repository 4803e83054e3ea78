# SPDX-License-Identifier: Apache-2.0
"""Giving endpoints to a phase's tenants by REST, and waiting until Sluice has it so."""

from testbed.control import tenancy
from testbed.experiments.tenants.phases import RECEIVER, RECEIVERS
from testbed.network import addresses
from testbed.system import polling

IN_FORCE_WITHIN_SECONDS = 10
RELEASED_WITHIN_SECONDS = 20


class Policies:
    """The tenants of the senders of a deployment; receivers keep their own."""

    def __init__(self, deployment):
        self._sluice = deployment.sluice
        self._given = [
            tenancy.tenant_of(name) for name in deployment.machines if name not in RECEIVERS
        ]

    def apply(self, tenants):
        """Replace all senders' tenants; returns once Sluice has the endpoints as theirs."""
        for tenant_id in self._given:
            self._sluice.delete_tenant(tenant_id)
        self._given = []
        for tenant in tenants:
            self._sluice.put_tenant(tenant.id, tenant.document)
            self._given.append(tenant.id)
        wanted = {
            (addresses.endpoint(host).ip, tenant.id) for tenant in tenants for host in tenant.hosts
        }
        polling.until(
            lambda: (
                wanted
                <= {(ip, each["tenant"]) for each in self._sluice.endpoints() for ip in each["ips"]}
            ),
            "Sluice to have the endpoints as these tenants'",
            timeout_seconds=IN_FORCE_WITHIN_SECONDS,
        )

    def limit_receiver(self, ceiling_mbps):
        """Give RECEIVER's tenant a receive ceiling; 0 is none."""
        document = tenancy.tenant_with([RECEIVER], receiveCeiling=ceiling_mbps)
        self._sluice.put_tenant(tenancy.tenant_of(RECEIVER), document)

    def change_weight(self, tenant, weight):
        """Replace a tenant's weight alone."""
        self._sluice.put_tenant(tenant.id, {**tenant.document, "weight": weight})

    def wait_until_released(self):
        """Wait until no port is under control any more from the phase before."""
        polling.until(
            lambda: not any(port["congested"] for port in self._sluice.ports()),
            "all ports to be released",
            timeout_seconds=RELEASED_WITHIN_SECONDS,
        )
