# SPDX-License-Identifier: Apache-2.0
"""`lab/run topology`: the dumbbell alone, to try things in by hand or from another test."""

import time

from testbed import addresses, agents, reach
from testbed.laboratory import Laboratory
from testbed.progress import Progress

BOTTLENECK_MBPS = 50


def run(options):
    """Bring the dumbbell up; with --keep leave it, else wait for Ctrl-C."""
    if not options.no_agents:
        agents.require_binary()
    laboratory = Laboratory("topology", Progress(expected_seconds=5))
    with laboratory:
        bring_up(laboratory, options)
        print(describe(laboratory.dumbbell), flush=True)
        if options.keep:
            laboratory.keep()
            print(f"\nto end it: lab/run cleanup {laboratory.lab_run.id}", flush=True)
        else:
            print("\nCtrl-C ends it", flush=True)
            while True:
                time.sleep(3600)
    return 0


def bring_up(laboratory, options):
    """Start switches and agents the way the options say."""
    dumbbell = laboratory.dumbbell
    targets = [
        "tcp:" + reach.from_management(dumbbell, *reach.split_host_port(text, "--controller"))
        for text in options.controller
    ]
    laboratory.start_switches(targets)
    if not targets:
        dumbbell.forward_statically()
    if options.no_agents:
        dumbbell.wire.join_plainly()
        return
    laboratory.start_agent(agents.port_agent(dumbbell, BOTTLENECK_MBPS))
    links = [
        reach.from_management(dumbbell, *reach.split_host_port(text, "--agent-link"))
        for text in options.agent_link
    ]
    certificates = None
    if links:
        certificates = agents.make_certificates(
            dumbbell.lab_run,
            [dumbbell.management.controller_address, "localhost", "127.0.0.1"],
        )
    for host in addresses.HOSTS:
        laboratory.start_agent(
            agents.host_agent(dumbbell, host, BOTTLENECK_MBPS, links, certificates)
        )


def describe(dumbbell):
    """Names and addresses of everything in a dumbbell."""
    lab_run = dumbbell.lab_run
    lines = [
        f"run:         {lab_run.id}",
        f"files:       {lab_run.directory}",
        f"BPF pins:    {lab_run.bpf_directory}",
        f"management:  controller at {dumbbell.management.controller_address},"
        f" root link {lab_run.root_link}",
    ]
    for host in addresses.HOSTS:
        endpoint = addresses.endpoint(host)
        machine, hypervisor = dumbbell.machines[host], dumbbell.hypervisors[host]
        lines.append(
            f"{host}:          machine {machine.netns} (eth0 {endpoint.ip} {endpoint.mac}),"
            f" hypervisor {hypervisor.netns} (vm0, up0, br0,"
            f" mgmt0 {dumbbell.management_addresses[host]}),"
            f" port {dumbbell.switches[endpoint.switch].port_id(endpoint.port)}"
        )
    for switch in dumbbell.switches.values():
        lines.append(
            f"{switch.name}:          {switch.netns} {switch.device_id},"
            f" ovs-ofctl -O OpenFlow13 ... unix:{switch.directory}/br0.mgmt"
        )
    wire = dumbbell.wire
    port = dumbbell.switches["s1"].port_id(addresses.WIRE_PORT)
    lines.append(f"wire:        {wire.netns} (wa, wb), bottleneck {port}")
    lines.append("enter with:  nsenter --net=/run/netns/NAMESPACE COMMAND")
    return "\n".join(lines)
