# SPDX-License-Identifier: Apache-2.0
"""Attacks without frames: what a host says of itself, and what a tenant registers.

Each is called while its attack lasts, and returns what the victims were denied meanwhile.
"""

import base64
import datetime
import time
from ipaddress import ip_address

from testbed.control import tenancy
from testbed.control.onos import RestError
from testbed.network import addresses
from testbed.system import polling
from testbed.system.errors import LabError

VICTIM, AWAY_VICTIM = "h1", "h2"
ATTACKER, RECEIVER = "h11", "h9"
AWAY_SECONDS = 12.0
LISTS_PER_SECOND = 18
REPORTS_PER_SECOND = 10
GHOSTS = 100
FIRST_GHOST = ip_address("10.1.0.1")
GHOST_NETWORK = "10.1.0.0/24"
GUARANTEE_MBPS = 2
PROMISES, PROMISED_BYTES, SMALL_BYTES = 10, 46_000_000_000, 10_000
LEAST_PROMISED_BYTES = 1_000_000
# The grace is 5 s; the leader looks once a second.
GIVEN_BACK_SECONDS = 10.0
LIAR_MAC = "02:00:00:00:66:01"
FLOW_PORT = 7000


def promise(scene, given_back_seconds=GIVEN_BACK_SECONDS):
    """Register flows that are never sent, as large as fit, then a small one of the victim.

    What is promised and not sent is to be others' again shortly afterwards.
    """
    sluice = scene.deployment.sluice
    registered = []
    size_bytes = PROMISED_BYTES
    small = _flow(VICTIM, FLOW_PORT, SMALL_BYTES, hours=1)
    # Connections without deadlines may leave nothing of a port to promise: that is no attack.
    sluice.delete_flow(sluice.register_flow(small)["id"])
    try:
        while len(registered) < PROMISES and size_bytes >= LEAST_PROMISED_BYTES:
            request = _flow(ATTACKER, FLOW_PORT + len(registered), size_bytes, hours=24)
            try:
                registered.append(sluice.register_flow(request)["id"])
            except RestError:
                size_bytes //= 2
        if not registered:
            raise LabError("nothing was promised to the attacker")
        scene.log(f"{len(registered)} promises, the last of {size_bytes / 1e6:.0f} MB")
        denied = []
        try:
            sluice.delete_flow(sluice.register_flow(small)["id"])
        except RestError as refusal:
            denied.append(f"10 kB in an hour: {refusal}")
        return denied + _kept(sluice, registered, given_back_seconds)
    finally:
        for flow in registered:
            sluice.delete_flow(flow)


def _kept(sluice, registered, given_back_seconds):
    def still():
        return [flow for flow in registered if sluice.flow(flow)["promised"]]

    try:
        polling.until(
            lambda: not still(), "promises to be given back", timeout_seconds=given_back_seconds
        )
    except LabError:
        return [f"{len(still())} promises are not sent and kept for {given_back_seconds:g} s"]
    return []


def _flow(machine, port, size_bytes, hours):
    due = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=hours)
    return {
        "source": addresses.endpoint(machine).ip,
        "destination": addresses.endpoint(RECEIVER).ip,
        "destinationPort": port,
        "sizeBytes": size_bytes,
        "deadline": due.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }


def take_address(scene, away_seconds=AWAY_SECONDS):
    """Claim the addresses of a machine whose agent is killed, and comes back."""
    agent = scene.deployment.host_agent_of(AWAY_VICTIM)
    victim = addresses.endpoint(AWAY_VICTIM)
    agent.kill()
    try:
        with scene.lying_host() as liar:
            liar.hello([endpoint("tap0", LIAR_MAC, victim.ips)])
            time.sleep(away_seconds)
            taken = [
                f"{each['id']} has {ip} while its owner is away"
                for each in scene.deployment.sluice.endpoints()
                if each["mac"] == LIAR_MAC
                for ip in each["ips"]
            ]
            agent.start()
            scene.deployment.wait_for_agents()
            return taken + [
                f"{each['id']} is refused {ip}"
                for each in scene.deployment.sluice.endpoints()
                if each["mac"] == victim.mac
                for ip in each.get("refusedIps", [])
            ]
    finally:
        if agent.has_ended or agent.process is None:
            agent.start()


def send_lists(scene):
    """Have two endpoints swap their addresses, list by list; the controller takes them all in."""
    with scene.lying_host() as liar:
        liar.hello(_swapped(0))
        for number in scene.every(1 / LISTS_PER_SECOND):
            liar.send(event={"kind": "KIND_ENDPOINTS_CHANGED", "endpoints": _swapped(number)})
        liar.check_received()
    return []


def _swapped(number):
    ips = ["10.66.0.1", "10.66.0.2"]
    return [
        endpoint(f"tap{each}", f"02:00:00:00:66:0{each + 1}", [ips[(each + number) % 2]])
        for each in range(2)
    ]


def send_ghosts(scene):
    """Report ghosts of the victim's tenant that wait to send; then the tenant gets a guarantee."""
    sluice = scene.deployment.sluice
    tenant = tenancy.tenant_of(VICTIM)
    document = tenancy.tenant_with([VICTIM])
    document["members"].append({"ipPrefix": GHOST_NETWORK})
    sluice.put_tenant(tenant, document)
    ips = [str(FIRST_GHOST + number) for number in range(GHOSTS)]
    ghosts = [
        endpoint(f"tap{number}", f"02:00:00:00:66:{number:02x}", [ip])
        for number, ip in enumerate(ips)
    ]
    denied = []
    try:
        with scene.lying_host() as liar:
            liar.hello(ghosts)
            for number in scene.every(1 / REPORTS_PER_SECOND):
                liar.send(observation=observation(ips, 1 / REPORTS_PER_SECOND))
                if number == REPORTS_PER_SECOND:
                    liar.check_received()
                    denied += _denied_guarantee(sluice, tenant, document)
    finally:
        sluice.put_tenant(tenant, tenancy.tenant_with([VICTIM]))
    return denied


def _denied_guarantee(sluice, tenant, document):
    try:
        sluice.put_tenant(tenant, document | tenancy.rates(guarantee=GUARANTEE_MBPS))
    except RestError as refusal:
        return [f"a guarantee of {GUARANTEE_MBPS} Mbit/s: {refusal}"]
    sluice.put_tenant(tenant, document)
    return []


def observation(ips, seconds):
    """A report that each of the addresses sends a packet to the receiver, and that more waits."""
    destination = packed(addresses.endpoint(RECEIVER).ip)
    return {
        "intervalNanos": str(round(seconds * 1e9)),
        "pairs": [
            {
                "source": packed(ip),
                "destination": destination,
                "sentPackets": "1",
                "sentBytes": "1514",
                "waits": True,
            }
            for ip in ips
        ],
    }


def endpoint(interface, mac, ips):
    """An endpoint as a host reports it."""
    return {
        "interface": interface,
        "mac": base64.b64encode(bytes.fromhex(mac.replace(":", ""))).decode(),
        "ips": [packed(ip) for ip in ips],
    }


def packed(ip):
    """An address as the agent link has it in JSON."""
    return base64.b64encode(ip_address(ip).packed).decode()
