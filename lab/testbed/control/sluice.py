# SPDX-License-Identifier: Apache-2.0
"""Sluice's REST interface and component properties, on any controller."""

import re

from testbed.system import polling, repository

APPLICATION = "org.sluice"
COMPONENT = "org.sluice.onos.SluiceManager"
JOURNAL_CAPACITY = 10_000
_SETTING = re.compile(r"^\| `(?P<name>\w+)` \| .*? \| `?(?P<default>.*?)`? \|", re.MULTILINE)


class Sluice:
    """Sluice on one controller. All errors are LabErrors that name the request."""

    def __init__(self, api):
        self.api = api
        self.root = f"{api.sluice_path}/v1"
        self.page_path = f"{api.sluice_path}/ui/"

    def wait_until_serving(self):
        """Wait until REST and component answer: the state ACTIVE alone is no proof."""
        polling.until(
            lambda: (
                self.api.get(f"{self.root}/tenants") is not None
                and "enforcement" in self.api.properties(COMPONENT)
            ),
            "Sluice's REST and component; unresolved references are in the controller's log",
            timeout_seconds=60,
            interval_seconds=0.5,
        )

    def set(self, **properties):
        """Change component properties, such as enforcement="off"."""
        self.api.set_properties(COMPONENT, {name: str(value) for name, value in properties.items()})

    def connected_hosts(self):
        """Ids of the hosts whose agents are connected."""
        hosts = self.api.get(f"{self.root}/hosts")["hosts"]
        return sorted(host["id"] for host in hosts if host.get("connected", True))

    def endpoints(self):
        """All endpoints."""
        return self.api.get(f"{self.root}/endpoints")["endpoints"]

    def ports(self):
        """All ports."""
        return self.api.get(f"{self.root}/ports")["ports"]

    def queues(self):
        """What waits at the ports whose queues are known, and the levels' tuned thresholds."""
        return self.api.get(f"{self.root}/ports/queues")

    def background_flows(self):
        """Flows that have sent more than short flows do."""
        return self.api.get(f"{self.root}/flows?kind=background")["flows"]

    def caps(self):
        """What background flows may send now towards ports where short flows wait."""
        return self.api.get(f"{self.root}/caps")["caps"]

    def journal(self, limit=JOURNAL_CAPACITY, after=-1):
        """The latest journal entries of those after a sequence number."""
        return self.api.get(f"{self.root}/journal?limit={limit}&after={after}")["entries"]

    def journal_end(self):
        """The sequence number of the latest journal entry; -1 before the first."""
        return max((entry["sequence"] for entry in self.journal(limit=1)), default=-1)

    def doctor(self):
        """All findings about the installation."""
        return self.api.get(f"{self.root}/doctor")["findings"]

    def cluster(self):
        """The controller's cluster, as this node observes it."""
        return self.api.get(f"{self.root}/cluster")

    def tenants(self):
        """All tenants."""
        return self.api.get(f"{self.root}/tenants")["tenants"]

    def put_tenant(self, tenant_id, tenant, tag=None):
        """Create or replace a tenant; tag: the ETag of what alone is to be replaced."""
        condition = {} if tag is None else {"headers": {"If-Match": tag}}
        self.api.request("PUT", f"{self.root}/tenants/{tenant_id}", tenant, **condition)

    def tagged_tenant(self, tenant_id):
        """(a tenant, its ETag)."""
        return self.api.get_tagged(f"{self.root}/tenants/{tenant_id}")

    def delete_tenant(self, tenant_id):
        """Delete a tenant; its endpoints become the default tenant's."""
        self.api.request("DELETE", f"{self.root}/tenants/{tenant_id}")

    def register_flow(self, request):
        """Register a flow with a deadline (document of POST /flows); returns the answer.

        RestError 409 where it cannot be met.
        """
        return self.api.request("POST", f"{self.root}/flows", request)

    def delete_flow(self, flow_id):
        """Withdraw a registered flow."""
        self.api.request("DELETE", f"{self.root}/flows/{flow_id}")

    def flows(self):
        """All registered flows that have not ended, and the latest that have."""
        return self.api.get(f"{self.root}/flows")["flows"]

    def flow(self, flow_id):
        """A registered flow."""
        return self.api.get(f"{self.root}/flows/{flow_id}")

    def deadlines(self):
        """Counts of deadlines by their state."""
        return self.api.get(f"{self.root}/deadlines")

    def apply_policies(self, policies):
        """Put a policy set (document of PUT /policies) into force; None: none is from now on."""
        if policies is None:
            self.api.request("DELETE", f"{self.root}/policies")
        else:
            self.api.request("PUT", f"{self.root}/policies", policies)

    def hinted_hosts(self):
        """What each host was sent by policies, and what it made of it."""
        return self.api.get(f"{self.root}/policies/hosts")["hosts"]


def documented_settings():
    """{name of a setting: its default} in the documents of this repository."""
    page = repository.ROOT / "docs" / "settings.md"
    return dict(_SETTING.findall(page.read_text(encoding="utf-8")))
