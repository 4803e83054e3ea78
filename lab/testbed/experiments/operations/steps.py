# SPDX-License-Identifier: Apache-2.0
"""The steps, from installation to removal: where each stands, and what has to be so after it.

All that is typed stands on the pages. What they leave to the operator is in three tables: the names
that stand for something (NAMES), what they have him copy from one machine to another (COPIED), and
what others do meanwhile (BEFORE).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from testbed.system.errors import LabError
from testbed.system.repository import ROOT

README, OPERATIONS, COUNTERS = "README.md", "docs/operations.md", "docs/fast-counters.md"
INSTALL = "Install it on your ONOS"
REPOSITORY, HYPERVISOR = str(ROOT), "/srv/h1"
SETTINGS = ("agentLinkKey", "agentLinkCertificate", "agentLinkTrust")
NEWER = "99.0.0"

# A command with such a name is typed once with each of these instead. All other names and addresses
# are the pages' own: the machine is made so.
NAMES = {"SluiceManager NAME": [f"SluiceManager {each}" for each in SETTINGS]}
COPIED = {
    "install the agent": f"mkdir {HYPERVISOR}; cp host-agent/bin/sluice-agent_*.deb {HYPERVISOR}",
    "upgrade the agent": f"rm {HYPERVISOR}/*.deb;"
    f" cp host-agent/bin/sluice-agent_{NEWER}_*.deb {HYPERVISOR}",
    "upgrade the controller": f"cp app/onos/target/sluice-*.oar {HYPERVISOR}/sluice-NEW.oar",
}
BEFORE = {
    "upgrade the agent": f"make -s -C host-agent deb VERSION={NEWER}",
}


@dataclass(frozen=True)
class Step:
    """Commands of one block of a page.

    begins: how the block does; promise, check(site): what is so afterwards, within a while; where:
    the directory of the terminal; types_output: the block is a command and its output, which is to
    be typed, too; host: its machine, where there are more than one; names: as NAMES, in this
    step alone.
    """

    name: str
    page: str
    heading: str
    begins: str
    promise: str
    check: Callable
    where: str = REPOSITORY
    types_output: bool = False
    host: str = "h1"
    names: Mapping = field(default_factory=dict)


def _answers(site):
    return site.get("sluice/v1/access")["role"] == "admin"


def _listens(site):
    return ":6680" in site.machine.run("ss", "-Hltn") and not [
        each
        for each in site.get("sluice/v1/doctor")["findings"]
        if each["about"] == "agent link" and each["severity"] == "error"
    ]


def _counts_fast(site):
    ports = site.get("sluice/v1/ports")["ports"]
    return any(each["countersFrom"] == "fast" for each in ports)


def _is_packaged(site):
    built = site.machine.run("bash", "-c", f"ls {ROOT}/host-agent/bin/sluice-agent_*.deb")
    return len(built.split()) == 1


def _connected(site):
    host = site.host()
    return host and host["connected"]


def _runs(site):
    return (
        site.machine.run("systemctl", "is-enabled", "sluice-agent").strip() == "enabled"
        and site.machine.run("systemctl", "is-active", "sluice-agent").strip() == "active"
        and site.has_limits()
        and _connected(site)
    )


def _is_member(site):
    endpoint = site.endpoint()
    return endpoint and endpoint["tenant"] == "gold" and endpoint["attachment"]


def _renewed(site):
    known = json.loads(site.machine.run("sluice-agent", "status", "--json"))
    own = [each for each in known["certificates"]["known"] if each["of"] == "agent"]
    end = site.machine.run(
        *("date", "-u", "+%Y-%m-%dT%H:%M:%SZ", "-d"),
        site.not_after(f"{ROOT}/pki/h1.pem").partition("notAfter=")[2].strip(),
    ).strip()
    return (
        own[0]["notAfter"] == end
        and site.shown_certificate() == site.not_after(f"{ROOT}/pki/controller.pem")
        and site.has_limits()
        and _connected(site)
    )


def _agent_is_newer(site):
    return _runs(site) and site.host()["agentVersion"] == NEWER


def _keeps_tenants(site):
    with_tenants = json.loads(site.machine.run("cat", f"{HYPERVISOR}/tenants.json"))
    settled = [(each["id"], each["weight"], each["members"]) for each in with_tenants["tenants"]]
    now = site.get("sluice/v1/tenants")["tenants"]
    return settled == [(each["id"], each["weight"], each["members"]) for each in now] and (
        _runs(site) and _is_member(site)
    )


def _finds_no_error(site):
    findings = site.get("sluice/v1/doctor")["findings"]
    return not [each for each in findings if each["severity"] == "error"]


def _is_retired(site):
    findings = site.get("sluice/v1/doctor")["findings"]
    return (
        site.host() is None
        and site.endpoint() is None
        and not [each for each in findings if each["about"].startswith("h1")]
        and not site.traces()
    )


def _agent_is_gone(site):
    left = site.machine.run("bash", "-c", "ls /etc/sluice /usr/sbin/sluice-agent || true").split()
    return not site.traces() and not {"agent.yaml", "/usr/sbin/sluice-agent"} & set(left)


def _is_purged(site):
    tenants = site.get("sluice/v1/tenants")["tenants"]
    component = "org.sluice.onos.SluiceManager"
    values = site.get(f"v1/configuration/{component}")[component]
    return "gold" not in {each["id"] for each in tenants} and not any(
        values[each] for each in SETTINGS
    )


def _is_gone(site):
    names = {each["name"] for each in site.get("v1/applications")["applications"]}
    try:
        site.onos("sluice-tenants")
    except LabError:
        return "org.sluice" not in names and not site.rules()
    return False


STEPS = (
    Step(
        *("make certificates", README, INSTALL, "lab/pki/make-certificates"),
        "keys are in their places",
        lambda site: site.not_after("/etc/sluice/controller.pem"),
    ),
    Step(
        *("install the application", README, INSTALL, "curl -fsS"),
        "its REST answers",
        _answers,
    ),
    Step(
        *("point it at its keys", README, INSTALL, "onos> cfg set org.sluice.onos.SluiceManager"),
        "agents can connect",
        _listens,
    ),
    Step(
        *("connect the switch", COUNTERS, "How to use it", "onos> sluice-switch-setup br0"),
        "its counters are fast",
        _counts_fast,
        types_output=True,
    ),
    Step(
        *("build the agent's package", OPERATIONS, "The agent as a service", "make deb"),
        "the package is where the page says",
        _is_packaged,
    ),
    Step(
        *("install the agent", OPERATIONS, "The agent as a service", "dpkg -i"),
        "it runs, also after the next boot, with limits, and is connected",
        _runs,
        where=HYPERVISOR,
    ),
    Step(
        *("onboard a virtual machine", README, INSTALL, "onos> sluice-endpoints"),
        "it is its tenant's, behind a port",
        _is_member,
    ),
    Step(
        *("renew certificates", OPERATIONS, "Certificates", "lab/pki/make-certificates"),
        "both ends show the renewed ones, and limits hold",
        _renewed,
    ),
    Step(
        *("upgrade the agent", OPERATIONS, "To upgrade an agent", "dpkg -i"),
        "the newer one runs, with limits, and is connected",
        _agent_is_newer,
        where=HYPERVISOR,
    ),
    Step(
        *("upgrade the controller", OPERATIONS, "To upgrade the controller", "API="),
        "tenants and settings are as before, and the agent is connected",
        _keeps_tenants,
        where=HYPERVISOR,
    ),
    Step(
        *("examine it", OPERATIONS, "To upgrade the controller", "onos> sluice-doctor"),
        "the doctor finds no error",
        _finds_no_error,
    ),
    Step(
        *("retire the host", OPERATIONS, "To take a host out of service", "systemctl disable"),
        "neither the controller nor the host has anything of it",
        _is_retired,
    ),
    Step(
        *("remove the agent", OPERATIONS, "To remove an agent", "dpkg -r"),
        "keys and certificates alone are left",
        _agent_is_gone,
    ),
    Step(
        *("purge", OPERATIONS, "To remove it from the controller", "onos> sluice-policy-withdraw"),
        "tenants and settings are gone",
        _is_purged,
    ),
    Step(
        *("remove the application", OPERATIONS, "To remove it from the controller", "API="),
        "no rule, meter or command is left",
        _is_gone,
    ),
)
