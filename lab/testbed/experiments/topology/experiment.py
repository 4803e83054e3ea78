# SPDX-License-Identifier: Apache-2.0
"""`lab/run topology`: a network without an experiment, for trials by hand or by another test."""

import signal

from testbed.control import agent_process, agents, certificates
from testbed.deployment.laboratory import Laboratory
from testbed.network import addresses, controller_access
from testbed.network.plan import DUMBBELL, PLANS
from testbed.network.topology import vm_port
from testbed.options import common
from testbed.options.command import Command
from testbed.system.progress import Progress

BOTTLENECK_MBPS = 50


def add_options(command):
    """Declare the options."""
    command.add_argument("--topology", choices=PLANS, default=DUMBBELL.name, help="(dumbbell)")
    common.guests(command)
    command.add_argument("--keep", action="store_true", help="leave it up and return")
    command.add_argument(
        "--controller",
        metavar="HOST:PORT",
        action="append",
        default=[],
        help="OpenFlow controller of all switches; may be repeated; none: static forwarding",
    )
    command.add_argument(
        "--agent-link",
        metavar="HOST:PORT",
        action="append",
        default=[],
        help="controller of the agents; may be repeated; none: agents without a controller",
    )
    command.add_argument("--no-agents", action="store_true", help="plain wire, no agents")


def run(options):
    """Bring the network up; with --keep leave it, else wait for Ctrl-C."""
    if not options.no_agents:
        agent_process.require_binary()
    progress = Progress(expected_seconds=5)
    plan = common.with_guests(PLANS[options.topology], options, progress)
    laboratory = Laboratory("topology", progress, plan)
    with laboratory:
        bring_up(laboratory, options)
        print(describe(laboratory.network), flush=True)
        if options.keep:
            laboratory.keep()
            print(f"\nto end it: lab/run cleanup {laboratory.lab_run.id}", flush=True)
        else:
            print("\nCtrl-C ends it", flush=True)
            while True:
                signal.pause()
    return 0


def bring_up(laboratory, options):
    """Start switches and agents as the options select."""
    network = laboratory.network
    targets = [f"tcp:{_reach(network, text, '--controller')}" for text in options.controller]
    laboratory.start_switches(targets)
    if not targets:
        network.forward_statically()
    if options.no_agents:
        for wire in network.wires.values():
            wire.bridge_ends()
        return
    for link in network.wires:
        capacity_mbps = link.capacity_mbps or BOTTLENECK_MBPS
        laboratory.start_agent(agents.port_agent(network, link, capacity_mbps))
    links = [_reach(network, text, "--agent-link") for text in options.agent_link]
    pki_directory = None
    if links:
        pki_directory = certificates.make(
            network,
            [network.management.controller_address, "localhost", "127.0.0.1"],
        )
    for host in network.plan.hosts:
        laboratory.start_agent(
            agents.host_agent(network, host, BOTTLENECK_MBPS, links, pki_directory)
        )


def _reach(network, text, option):
    """HOST:PORT by which the management network reaches what the user names."""
    return controller_access.from_management(
        network, *controller_access.split_host_port(text, option)
    )


def describe(network):
    """Names and addresses of everything in a network."""
    lab_run = network.lab_run
    lines = [
        f"run:         {lab_run.id}",
        f"files:       {lab_run.directory}",
        f"BPF pins:    {lab_run.bpf_directory}",
        f"management:  controller at {network.management.controller_address},"
        f" root link {lab_run.root_link}",
    ]
    for name in network.plan.machines:
        host = network.plan.host_of(name)
        endpoint = addresses.endpoint(name)
        machine, hypervisor = network.machines[name], network.hypervisors[host]
        lines.append(
            f"{name}:          machine {machine.netns}"
            f" (eth0 {' '.join(endpoint.ips)} {endpoint.mac}),"
            f" hypervisor {hypervisor.netns} ({vm_port(network.plan, name)}, up0, br0,"
            f" mgmt0 {network.management_addresses[host]}),"
            f" port {network.port_id(network.plan.places[host])}"
        )
    for switch in network.switches.values():
        lines.append(
            f"{switch.name}:          {switch.netns} {switch.device_id},"
            f" ovs-ofctl -O OpenFlow13 ... unix:{switch.directory}/br0.mgmt"
        )
    for link, wire in network.wires.items():
        port = network.port_id(link.left)
        lines.append(f"wire:        {wire.netns} (wa, wb), bottleneck {port}")
    for link in network.plan.links:
        if not link.is_wire:
            lines.append("link:        " + " - ".join(map(network.port_id, link.ends)))
    lines.append("enter with:  nsenter --net=/run/netns/NAMESPACE COMMAND")
    return "\n".join(lines)


COMMAND = Command(
    "topology",
    "a network without an experiment, for trials",
    add_options,
    run,
)
