# SPDX-License-Identifier: Apache-2.0
"""The commands of `lab/run`, in the order of its list; each experiment declares its own."""

from testbed.cli import beside, cases, housekeeping
from testbed.experiments.cluster import experiment as cluster
from testbed.experiments.compare import experiment as compare
from testbed.experiments.controller_loss import experiment as controller_loss
from testbed.experiments.dadctcp import experiment as dadctcp
from testbed.experiments.deadlines import experiment as deadlines
from testbed.experiments.dumbbell import command as dumbbell
from testbed.experiments.faults import experiment as faults
from testbed.experiments.forwarding import command as forwarding
from testbed.experiments.forwarding import other_forwarding
from testbed.experiments.hostile import experiment as hostile
from testbed.experiments.incast import experiment as incast
from testbed.experiments.microflow import experiment as microflow
from testbed.experiments.opentcp import experiment as opentcp
from testbed.experiments.operations import experiment as operations
from testbed.experiments.page import experiment as page
from testbed.experiments.rates import mark_to_rate, rate_error
from testbed.experiments.sharing import asymmetric_rtts, leaf_spine, parking_lot, partial
from testbed.experiments.short_flows import experiment as short_flows
from testbed.experiments.soak import experiment as soak
from testbed.experiments.tenants import experiment as tenants
from testbed.experiments.topology import experiment as topology

COMMANDS = (
    dumbbell.COMMAND,
    forwarding.COMMAND,
    other_forwarding.COMMAND,
    parking_lot.COMMAND,
    leaf_spine.COMMAND,
    asymmetric_rtts.COMMAND,
    partial.COMMAND,
    tenants.COMMAND,
    deadlines.COMMAND,
    incast.COMMAND,
    dadctcp.COMMAND,
    compare.COMMAND,
    short_flows.COMMAND,
    opentcp.COMMAND,
    microflow.COMMAND,
    mark_to_rate.COMMAND,
    rate_error.COMMAND,
    faults.COMMAND,
    controller_loss.COMMAND,
    cluster.COMMAND,
    hostile.COMMAND,
    soak.COMMAND,
    page.COMMAND,
    cases.COMMAND,
    operations.COMMAND,
    topology.COMMAND,
    beside.COMMAND,
    housekeeping.RUNS,
    housekeeping.CLEANUP,
)
