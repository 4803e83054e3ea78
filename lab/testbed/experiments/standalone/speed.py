# SPDX-License-Identifier: Apache-2.0
"""The speed that this machine can emulate: the highest at which enough of it stays idle."""

import time
from dataclasses import dataclass

from testbed.experiments.standalone.sequences import FLOOD_PART
from testbed.flooding.phases import FLOODING_HOSTS
from testbed.programs import clock
from testbed.system import processors
from testbed.traffic.generators import Traffic

SPEEDS_MBPS = 500, 200, 50
LEAST_IDLE, PROGRAMS_TAKE = 0.2, 0.3  # sluiced, agents and TCP, none of which a probe has
# Floods as in the run: their packets are the cost.
RISE_SECONDS, PROBE_SECONDS = 0.5, 1.0


@dataclass(frozen=True)
class Probe:
    """How idle the machine was while a bottleneck of a speed was flooded."""

    mbps: float
    cpu: processors.CpuUse

    def as_json(self):
        """Its part of a result document."""
        return {"mbps": self.mbps, **self.cpu.as_json()}


@dataclass(frozen=True)
class Choice:
    """A speed, and why it was chosen."""

    mbps: float
    because: str
    probes: tuple = ()

    def as_json(self):
        """Its part of a result document."""
        return {
            "mbps": self.mbps,
            "because": self.because,
            "probes": [each.as_json() for each in self.probes],
        }


def given(mbps):
    """The user's choice."""
    return Choice(mbps, "--capacity")


def probed(deployment):
    """The highest of SPEEDS_MBPS that leaves LEAST_IDLE idle, tried from above."""
    probes = []
    for mbps in SPEEDS_MBPS:
        probes.append(_probe(deployment, mbps))
        deployment.progress.log(f"  flooded at {mbps} Mbit/s: {probes[-1].cpu}")
        if probes[-1].cpu.idle >= LEAST_IDLE + PROGRAMS_TAKE:
            break
    return choose(probes)


def choose(probes):
    """The Choice of probes from the highest speed down; the lowest where none is idle enough."""
    fit = next((each for each in probes if each.cpu.idle >= LEAST_IDLE + PROGRAMS_TAKE), None)
    if fit is None:
        return Choice(
            probes[-1].mbps,
            f"the lowest: less than {LEAST_IDLE + PROGRAMS_TAKE:.0%} of this machine stayed idle at"
            " each, before agents and sluiced",
            tuple(probes),
        )
    tried = ", ".join(f"{each.mbps:g}" for each in probes if each.mbps > fit.mbps)
    beyond = f", which {tried} did not leave" if tried else ""
    return Choice(
        fit.mbps,
        f"the highest that leaves {LEAST_IDLE:.0%} of this machine idle{beyond}:"
        f" {fit.cpu.idle:.0%} at {fit.mbps:g} Mbit/s, before agents and sluiced",
        tuple(probes),
    )


def _probe(deployment, mbps):
    deployment.shape(mbps)
    traffic = Traffic(deployment.network, f"probe-{mbps}")
    try:
        traffic.start_measuring()
        begin = time.monotonic_ns() + int(RISE_SECONDS * 1e9)
        end = begin + int(PROBE_SECONDS * 1e9)
        for host in FLOODING_HOSTS:
            traffic.flood(host, FLOOD_PART * mbps, start_nanos=time.monotonic_ns(), stop_nanos=end)
        clock.sleep_until(begin)
        before = processors.cpu_times()
        clock.sleep_until(end)
        return Probe(mbps, processors.cpu_use(before, processors.cpu_times()))
    finally:
        traffic.end()
