# SPDX-License-Identifier: Apache-2.0
"""A cluster of ONOS nodes in a run of the testbed, which stays up until it is stopped."""

from karaf.errors import LauncherError
from karaf.rundirectory import RunDirectory
from testbed.control.lab_onos_cluster import LabOnosCluster
from testbed.network.management import ManagementNetwork
from testbed.runs import registry
from testbed.system import requirements
from testbed.system.errors import LabError


def start(run: RunDirectory, count: int, options: list[str]) -> None:
    """Starts so many nodes, each with these options; nothing is left of them if one fails."""
    try:
        requirements.check()
        run.claim()
        lab_run = registry.begin("onos")
        try:
            management = ManagementNetwork(lab_run)
            cluster = LabOnosCluster(lab_run, management, count, run.path, options)
            cluster.start()
            run.record(
                {
                    "run": lab_run.id,
                    "storage": cluster.storage.address,
                    "nodes": [node.name for node in cluster.nodes],
                }
            )
            lab_run.record(kept=True)
            for node in (management.node, *cluster.namespaces):
                node.stop()  # Mininet's shell; the namespace stays
        except BaseException:
            registry.remove(lab_run)
            run.remove()
            raise
    except LabError as error:
        raise LauncherError(str(error)) from error


def stop(run: RunDirectory) -> None:
    """Ends all of its processes, and removes its network and directories."""
    registry.remove(registry.Run(run.read_record()["run"]))
    run.remove()
