# SPDX-License-Identifier: Apache-2.0
"""`lab/run partial`: a rollout that has not come to all hosts yet, two of five of which send."""

from testbed.experiments.sharing import experiment
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.experiments.sharing.streams import Stream
from testbed.network.plan import PARTIAL
from testbed.options import common
from testbed.options.command import Command
from testbed.report import expectations

EXPERIMENT = "partial"
WEIGHTS = {"h1": 2}
# From hosts with an agent and without, to a receiver with one (h7) and one without (h8).
STREAMS = (
    Stream("h1", "h7", "tcp"),
    Stream("h2", "h7", "udp"),
    Stream("h3", "h8", "tcp"),
    Stream("h4", "h8", "udp"),
    Stream("h5", "h7", "tcp"),
    Stream("h6", "h8", "tcp"),
)
SHARE_AT_LEAST, DEVIATION = 0.9, 0.1
RETRANSMITTED_MILLIS = 1000  # RFC 6298: until a SYN is sent again


def add_options(command):
    """Declare the options."""
    experiment.add_options(command)
    common.capacity(command, 40, "the wire")


def run(options):
    """Run the experiment; returns the exit status."""
    bare = ", ".join(sorted(PARTIAL.without_agents))
    return experiment.run(
        experiment.SharingExperiment(
            name=EXPERIMENT,
            title=f"Six senders over one wire, no agent on {bare}",
            plan=PARTIAL,
            streams=STREAMS,
            placement=PlannedPlacement,
            weights=WEIGHTS,
            nic_mbps=options.capacity,
            # Machines without an agent are their tenants', too: nobody else has their addresses.
            properties={"learnedMembers": "accepted"},
            further={
                "capacityMbps": options.capacity,
                "withoutAgents": sorted(PARTIAL.without_agents),
            },
            ecn=True,
            judge=judge,
        ),
        options,
    )


def judge(results):
    """(expectations, aims): who agreed on ECN; what those behind agents get, by their weights.

    Nothing holds the others but their own TCP, so what they get or leave is not judged.
    """
    expected, aims = [], []
    for result in results:
        if not result.stage.enforced:
            continue
        refused = [each.stream.name for each in result.streams if _refused_ecn(each.connection)]
        what = f"{result.stage.name}: connections without ECN {', '.join(refused)}".rstrip()
        expected.append(expectations.below(what, len(refused), 1))
        held = [part for part in result.parts if part.host not in PARTIAL.without_agents]
        mean = sum(part.share for part in held) / len(held)
        for part in held:
            name = f"{result.stage.name}: {part.name}"
            beside = f"{name} / the mean of those behind agents, by weight"
            aims += [
                expectations.at_least(f"{name} / its share", part.share, SHARE_AT_LEAST),
                expectations.within(beside, part.share / mean, 1 - DEVIATION, 1 + DEVIATION),
            ]
    return expected, aims


def _refused_ecn(connection):
    """Linux sends a SYN that was lost again without requesting ECN."""
    if connection is None or connection.get("connectMillis") is None:
        return False
    return not connection["ecn"] and connection["connectMillis"] < RETRANSMITTED_MILLIS


COMMAND = Command(
    EXPERIMENT,
    "some hosts without an agent: ECN from end to end, shares of those behind agents",
    add_options,
    run,
)
