# SPDX-License-Identifier: Apache-2.0
"""What an OpenDaylight finds in its directory at its start."""

import re
import shutil
from pathlib import Path
from xml.sax.saxutils import escape

from karaf.rundirectory import RunDirectory, merge_properties
from karaf.settings import Settings

from launcher.distribution import Line

# What a run has of its own; the rest is the assembly's, and never written to.
_OWN = ("etc", "configuration")
_SHARED = ("bin", "lib", "system")
# Nothing is fetched at run time: the assembly's artifacts, then what applications brought.
_ARTIFACTS = {
    "org.ops4j.pax.url.mvn.defaultRepositories": (
        "file:${karaf.home}/system@id=assembly@snapshots,"
        "file:${karaf.data}/kar@id=kar.repository@multi@snapshots"
    ),
    "org.ops4j.pax.url.mvn.repositories": "",
    "org.ops4j.pax.url.mvn.localRepository": "${karaf.data}/maven",
    "org.ops4j.pax.url.mvn.useFallbackRepositories": "false",
}


def prepare(run: RunDirectory, settings: Settings, line: Line) -> None:
    """Makes the content of a claimed directory, or refreshes the configuration of a kept one."""
    run.base.mkdir(exist_ok=True)
    for name in _OWN:
        shutil.copytree(line.home / name, run.base / name, dirs_exist_ok=True)
    for name in _SHARED:
        if not (run.base / name).is_symlink():
            (run.base / name).symlink_to(line.home / name)
    run.deploy.mkdir(exist_ok=True)
    _write_etc(run.etc, settings)
    _write_openflow_ports(run.etc, settings, line)
    _write_cluster(run.base / "configuration" / "initial", settings, line)
    for component, name, value in settings.properties:
        merge_properties(run.etc / f"{component}.cfg", {name: value})


def _write_etc(etc: Path, settings: Settings) -> None:
    # SIGTERM ends it.
    merge_properties(etc / "custom.properties", {"karaf.shutdown.port": "-1"})
    merge_properties(
        etc / "org.apache.karaf.shell.cfg",
        {"sshHost": settings.bind, "sshPort": str(settings.ssh_port)},
    )
    merge_properties(
        etc / "org.ops4j.pax.web.cfg",
        {
            "org.osgi.service.http.port": str(settings.rest_port),
            "org.ops4j.pax.web.listening.addresses": settings.bind,
        },
    )
    # Its connector must be the one of the properties above, or there would be two.
    jetty = etc / "jetty.xml"
    jetty.write_text(
        jetty.read_text()
        .replace('"jetty.host"', f'"jetty.host" default="{settings.bind}"')
        .replace('"jetty.port" default="8181"', f'"jetty.port" default="{settings.rest_port}"')
    )
    # The newer line serves RESTCONF by a server of its own, too: nobody needs it.
    merge_properties(
        etc / "org.opendaylight.restconf.nb.rfc8040.cfg",
        {"bind-address": settings.bind, "bind-port": "0"},
    )
    (etc / "org.ops4j.pax.url.mvn.cfg").write_text(
        "".join(f"{key} = {value}\n" for key, value in _ARTIFACTS.items())
    )


def _write_openflow_ports(etc: Path, settings: Settings, line: Line) -> None:
    """Presets both OpenFlow listeners; the second, of the old port, gets any free one."""
    initial = etc / "opendaylight" / "datastore" / "initial" / "config"
    initial.mkdir(parents=True, exist_ok=True)
    artifact = "org/opendaylight/openflowplugin/openflowjava/openflowjava-blueprint-config"
    for classifier, name, port in (
        ("config", "default", settings.openflow_port),
        ("legacyConfig", "legacy", 0),
    ):
        stock = line.file(f"{artifact}/*/*-{classifier}.xml").read_text()
        listening = f"<port>{port}</port>\n  <address>{escape(settings.bind)}</address>"
        (initial / f"{name}-openflow-connection-config.xml").write_text(
            re.sub(r"<port>\d+</port>", listening, stock)
        )


def _write_cluster(initial: Path, settings: Settings, line: Line) -> None:
    """Presets address and port of the data store's cluster, which has one node."""
    artifact = "org/opendaylight/controller/sal-clustering-config"
    stock = line.file(f"{artifact}/*/*-{line.actors}conf.xml")
    initial.mkdir(exist_ok=True)
    (initial / f"{line.actors}.conf").write_text(
        stock.read_text()
        .replace("127.0.0.1", settings.reachable_address)
        .replace("2550", str(settings.cluster_port))
    )
