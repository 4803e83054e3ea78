# SPDX-License-Identifier: Apache-2.0
"""Running turns one after the other, beside programs that are there for all of them."""

from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.traffic.generators import Traffic


class TurnRunner:
    """Has run(*round), which returns a Turn, and line(turn), which says what it measured.

    deployment: None: without a controller. traffic: further arguments of Traffic.
    """

    def __init__(self, laboratory, deployment=None, **traffic):
        self.deployment = deployment
        self.progress = laboratory.progress
        self.network = laboratory.network
        self.traffic = Traffic(self.network, **{"horizon_seconds": 3600, **traffic})
        laboratory.cleanup.callback(self.end)

    def end(self):
        """End all programs; may be called again."""
        self.traffic.end()

    def run_all(self, rounds):
        """Run a turn for each round (the arguments of run); returns them."""
        done = []
        for each in rounds:
            done.append(self.run(*each))
            self.progress.log(f"  {self.line(done[-1])}")
        return done

    def set_in_machines(self, name, value):
        """Set one of TCP's parameters in all machines."""
        for machine in self.network.machines.values():
            machine.check(["sysctl", "-q", "-w", f"net.ipv4.{name}={value}"])

    def forget_paths(self):
        """Have machines learn nothing of paths, so that no turn knows what another one met."""
        self.set_in_machines("tcp_no_metrics_save", 1)

    def received(self, hosts, port):
        """What has arrived of hosts' TCP connections to a port: {host: CumulativeSeries}."""
        flows, nothing = self.traffic.flows(), CumulativeSeries([(0, 0)])
        names = {host: f"tcp/{addresses.endpoint(host).ip}/{port}" for host in hosts}
        return {host: flows.get(name, nothing) for host, name in names.items()}
