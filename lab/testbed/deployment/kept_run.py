# SPDX-License-Identifier: Apache-2.0
"""What the user of a kept run is shown: how to reach everything in it, and how to end it."""

import json


def describe(deployment):
    """Addresses of REST, page, shell and metrics, namespaces, and the command that ends the run."""
    chosen = deployment.controller
    lab_run = deployment.network.lab_run
    machines = json.dumps({host: node.netns for host, node in deployment.network.machines.items()})
    lines = [
        "",
        "Everything is left up.",
        f"  REST       {chosen.api.url}{chosen.api.sluice_path}/v1/tenants"
        f"   (lab's user {chosen.api.administrator})",
        f"  page       {chosen.api.url}{chosen.api.sluice_path}/ui",
        *_shell(chosen),
        f"  metrics    {chosen.api.url}{chosen.api.sluice_path}/v1/metrics"
        f"   (lab's user {chosen.api.reader})",
        *(f"             http://{target}/metrics" for target in deployment.metrics_targets),
        f"  machines   {machines}",
        "  enter      nsenter --net=/run/netns/NAMESPACE COMMAND",
        f"  to end it  lab/run cleanup {lab_run.id}",
    ]
    if chosen.is_external and not deployment.options.installed:
        lines.append(f"Sluice stays installed on {chosen.api.url}: app deactivate, app uninstall")
    return "\n".join(lines) + "\n"


def _shell(chosen):
    if chosen.ssh_port is None:
        return []
    return [
        f"  CLI        ssh -p {chosen.ssh_port} karaf@{chosen.ssh_address}   (lab's password karaf)"
    ]
