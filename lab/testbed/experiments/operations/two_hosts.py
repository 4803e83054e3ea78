# SPDX-License-Identifier: Apache-2.0
"""Where the steps without an SDN controller are done: two hosts on a cable, bridges, VMs."""

import json
import subprocess

from testbed.experiments.operations.machine import Machine
from testbed.system.shell import run

LINK_MBPS = 100
WORK = "/srv/sluice"
RECEIVER = "10.1.0.9"
# What the page takes for granted on its hosts: addresses, uplink, bridge and VMs are the page's.
NETWORK = """
ip link set lo up
ip link add br0 type bridge
ip link set eth0 master br0
ip address add {address}/24 dev br0
for device in eth0 br0; do ip link set $device up; done
"""
VM = """
ip netns add {vm}
ip link add {port} type veth peer name eth0 netns {vm}
ip -n {vm} address add {ip}/16 dev eth0
ip -n {vm} link set lo up
ip -n {vm} link set eth0 up
ip link set {port} master br0
ip link set {port} up
"""
HOSTS = {
    "h1": ("192.0.2.1", {"vnet0": "10.1.0.4", "vnet1": "10.1.0.5"}),
    "h2": ("192.0.2.2", {"vnet0": RECEIVER}),
}
TALK = "while sleep 1; do echo >/dev/udp/{ip}/9; done"
TCP_SECONDS, FLOOD_SECONDS = 5, 8
SERVERS = {"tcp": 5201, "udp": 5202}


class TwoHosts:
    """Both machines, and what sluiced answers on the first."""

    def __init__(self, progress):
        self.machines = {}
        self._carried = False
        self._progress = progress
        try:
            progress.log("two hosts with bridges, and a cable")
            for name in HOSTS:
                self.machines[name] = Machine()
            self._join()
            for name, (address, vms) in HOSTS.items():
                script = NETWORK.format(address=address)
                for port, ip in vms.items():
                    script += VM.format(vm=f"vm{port[-1]}", port=port, ip=ip)
                self.machines[name].run("bash", "-ec", script)
            for name, (_, vms) in HOSTS.items():
                for port in vms:
                    # As a VM that runs does: an agent learns its address from what it sends.
                    self._start(name, port, TALK.format(ip="10.1.0.1"))
            for port in SERVERS.values():
                self._start("h2", "vnet0", f"iperf3 -s -p {port}")
        except BaseException:
            self.end()
            raise

    def _join(self):
        one, other = (machine.pid for machine in self.machines.values())
        run(
            [
                *("ip", "link", "add", "eth0", "netns", str(one), "type", "veth"),
                *("peer", "name", "eth0", "netns", str(other)),
            ]
        )

    def _start(self, name, port, script):
        inside = f"ip netns exec vm{port[-1]} bash -c '{script}' >/dev/null 2>&1 &"
        self.machines[name].run("bash", "-c", inside)

    def machine_of(self, host):
        """The machine of a name."""
        return self.machines[host]

    @property
    def machine(self):
        """The one with sluiced."""
        return self.machines["h1"]

    def carry(self, step):
        """Copy packages, certificates and keys to the other host, once they are on the first."""
        if step.host == "h1" or self._carried:
            return
        self._carried = True
        packed = subprocess.run(
            [*self.machine.within, "tar", "-C", WORK, "-c", "."], check=True, capture_output=True
        ).stdout
        self.machines[step.host].run("mkdir", WORK)
        subprocess.run(
            [*self.machines[step.host].within, "tar", "-C", WORK, "-x"], check=True, input=packed
        )

    def end(self):
        """End both; returns what is left."""
        return [left for machine in self.machines.values() for left in machine.end()]

    def get(self, resource, *name):
        """What sluicectl gets."""
        text = self.machine.run(
            *("env", f"SLUICE_PASSWORD_FILE={WORK}/admin", "sluicectl"),
            *("--server", "http://127.0.0.1:8181", "--user", "admin"),
            *("get", resource, *name, "-o", "json"),
        )
        return json.loads(text)

    def tcp_beside_a_flood(self):
        """Mbit/s that TCP of vnet0 gets of the link while vnet1 floods it."""
        within = self.machine.within
        flood = subprocess.Popen(
            [
                *(*within, "ip", "netns", "exec", "vm1", "iperf3", "-c", RECEIVER),
                *("-p", str(SERVERS["udp"]), "-u", "-l", "1400"),
                *("-b", f"{LINK_MBPS}M", "-t", str(FLOOD_SECONDS)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            text = self.machine.run(
                *("ip", "netns", "exec", "vm0", "iperf3", "-c", RECEIVER, "-J"),
                *("-p", str(SERVERS["tcp"]), "-t", str(TCP_SECONDS), "-O", "1"),
            )
        finally:
            flood.terminate()
            flood.wait()
        mbps = json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e6
        self._progress.log(f"  TCP beside a flood: {mbps:.1f} of {LINK_MBPS} Mbit/s")
        return mbps
