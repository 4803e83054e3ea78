# SPDX-License-Identifier: Apache-2.0
"""Decisions of an older term at the agent link, from a controller with a good certificate."""

import base64
import ipaddress
import json
import queue
import subprocess
import threading

from testbed.control import agents
from testbed.control.agent_process import Agent
from testbed.control.certificates import MAKE_CERTIFICATES, tls_files
from testbed.experiments.faults.fault import Fault
from testbed.experiments.faults.finding import Finding
from testbed.network.namespaces import Namespace
from testbed.network.topology import UPLINK, VM_PORT
from testbed.report import expectations
from testbed.system import polling, repository
from testbed.system.errors import LabError
from testbed.system.shell import run

HOST, NODE = "h9", "scripted"
LISTEN = "127.0.0.1:6680"
BINARY = repository.ROOT / "host-agent" / "bin" / "scripted-controller"
PORT = "of:00000000000000aa/1"
DESTINATION = "10.0.0.5"
CAPACITY_MBPS = 20
MEGABIT = 1_000_000
WITHIN_SECONDS = 10


def refused(environment):
    """A further host, whose only controller sends what this script contains."""
    with ScriptedController(environment) as controller:
        steps = _script(controller)
    finding = Finding(
        "a controller with a good certificate sends older terms and repeats what it has sent",
        figures={"steps": steps["figures"]},
    )
    finding.leftovers += steps["leftovers"]
    return finding.expect(
        expectations.within("stale decisions counted", steps["stale"], 3, 3),
        expectations.within("rate after an older term, Mbit/s", steps["afterOlder"], 10, 10),
        expectations.within("rate after a repetition, Mbit/s", steps["afterRepeated"], 10, 10),
        expectations.within(
            "ports under control after an end of an older term", steps["groups"], 1, 1
        ),
        expectations.within("rate after a newer term, Mbit/s", steps["afterNewer"], 5, 5),
        expectations.at_least("refusals reported to the controller", steps["reported"], 1),
    )


def _script(controller):
    steps = {"figures": []}

    def ceiling():
        return controller.endpoint()["rateBitsPerSecond"] / MEGABIT

    controller.send(0, 1, welcome={"protocolVersion": 1, "controllerVersion": "scripted"})
    controller.send(10, 2, policies=_policies(10))
    polling.until(lambda: ceiling() == 10, "the first policy", timeout_seconds=WITHIN_SECONDS)
    controller.send(9, 99, policies=_policies(1))
    controller.wait_for_stale(1)
    steps["afterOlder"] = ceiling()
    controller.send(10, 2, policies=_policies(2))
    controller.wait_for_stale(2)
    steps["afterRepeated"] = ceiling()
    controller.send(10, 3, unitShares=_shares(expired=False))
    polling.until(
        lambda: controller.ports() == [PORT], "the port's control", timeout_seconds=WITHIN_SECONDS
    )
    controller.send(9, 100, unitShares=_shares(expired=True))
    controller.wait_for_stale(3)
    steps["groups"] = len(controller.ports())
    controller.send(11, 1, policies=_policies(5))
    polling.until(lambda: ceiling() == 5, "the newer policy", timeout_seconds=WITHIN_SECONDS)
    steps["afterNewer"] = ceiling()
    steps["stale"] = controller.agent.status()["link"]["staleRefused"]
    steps["reported"] = controller.events("KIND_STALE_REFUSED")
    steps["figures"] = {name: value for name, value in steps.items() if name != "figures"}
    controller.agent.stop()
    steps["leftovers"] = [f"pin of the stopped agent: {pin}" for pin in controller.agent.pins]
    return steps


def _policies(ceiling_mbps):
    ceiling = str(ceiling_mbps * MEGABIT)
    policy = {"interface": VM_PORT, "tenant": "t9", "weight": 1, "ceilingBitsPerSecond": ceiling}
    return {"endpoints": [policy]}


def _shares(expired):
    destination = base64.b64encode(ipaddress.ip_address(DESTINATION).packed).decode()
    share = {
        "port": PORT,
        "unitShareBitsPerSecond": str(8 * MEGABIT),
        "capacityBitsPerSecond": str(CAPACITY_MBPS * MEGABIT),
        "activeWeight": 2.5,
        "expired": expired,
        "endpoints": [{"interface": VM_PORT, "destinations": [destination]}],
    }
    return {"shares": [share]}


class ScriptedController:
    """Context manager: a further host, its agent, and the only controller of that."""

    def __init__(self, environment):
        self.environment = environment
        self.directory = environment.network.lab_run.directory / "scripted"
        self.directory.mkdir()
        self.agent = None
        self._process = None
        self._received = queue.Queue()
        self._events = []

    def __enter__(self):
        lab_run = self.environment.network.lab_run
        node = Namespace(lab_run, HOST)
        self.environment.laboratory.cleanup.callback(node.stop)
        for near, far in ((UPLINK, "far0"), (VM_PORT, "far1")):
            node.ip_command(*f"link add {near} type veth peer name {far}".split())
            for name in (near, far):
                node.ip_command("link", "set", name, "up")
        pki_directory = self.directory / "pki"
        host = LISTEN.partition(":")[0]
        run(
            [
                *(str(MAKE_CERTIFICATES), "--out", str(pki_directory)),
                *("--server", host, "--host", HOST),
            ]
        )
        self._start(node, pki_directory)
        self.agent = Agent(lab_run, node, "run", self._configuration(pki_directory))
        self.environment.laboratory.start_agent(self.agent)
        return self

    def __exit__(self, kind, failure, trace):
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self, node, pki_directory):
        if not BINARY.exists():
            raise LabError(f"{BINARY} is missing: build it with 'make build'")
        with open(self.directory / "controller.log", "ab") as log:
            self._process = node.popen(
                [
                    *(str(BINARY), "-listen", LISTEN, "-ca", str(pki_directory / "ca.pem")),
                    *("-certificate", str(pki_directory / "controller.pem")),
                    *("-key", str(pki_directory / "controller.key")),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        threading.Thread(target=self._receive, daemon=True).start()

    def _configuration(self, pki_directory):
        listed = {"interface": VM_PORT, "mac": "02:00:00:00:09:01", "ips": ["10.0.0.9"]}
        return {
            "host": HOST,
            "controllers": [LISTEN],
            "tls": tls_files(pki_directory, HOST),
            "uplink": {"interface": UPLINK, "capacityMbps": CAPACITY_MBPS},
            "endpoints": {"source": agents.STATIC, "static": [listed]},
        }

    def _receive(self):
        for line in self._process.stdout:
            self._received.put(json.loads(line))

    def send(self, term, sequence, **body):
        """Send a message of a term, with a lease that outlasts the fault."""
        message = {"node": NODE, "term": str(term), "sequence": str(sequence), "leaseMillis": 60000}
        try:
            self._process.stdin.write(json.dumps({**message, **body}) + "\n")
            self._process.stdin.flush()
        except OSError as gone:
            raise LabError(f"the scripted controller has ended: {self.directory}") from gone

    def endpoint(self):
        """The endpoint's part of its agent's status."""
        return self.agent.status()["endpoints"][0]

    def ports(self):
        """Ports whose control limits the endpoint."""
        return [group["port"] for group in self.endpoint()["groups"] if group["port"]]

    def wait_for_stale(self, count):
        """Wait until the agent has counted so many stale decisions."""
        polling.until(
            lambda: self.agent.status()["link"]["staleRefused"] >= count,
            f"{count} stale decisions to be counted",
            timeout_seconds=WITHIN_SECONDS,
        )

    def events(self, kind):
        """How many events of a kind the agent has reported so far."""
        while not self._received.empty():
            self._events.append(self._received.get().get("event", {}).get("kind"))
        return self._events.count(kind)


FAULTS = (
    Fault("stale-epoch", "a controller that sends older terms, and repeats messages", 8, refused),
)
