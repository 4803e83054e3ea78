# SPDX-License-Identifier: Apache-2.0
"""The command line of ONOS's JVM, after Karaf's own start script."""

import os
import shutil
from pathlib import Path

from karaf.errors import LauncherError
from karaf.rundirectory import RunDirectory
from karaf.settings import Settings

from launcher import distribution
from launcher.rundirectory import CLUSTER_NAME, STORAGE_PORT

# Karaf's own, then what Kryo and Netty of ONOS 2.5.6 reach into on a Java newer than 11.
_OPENED_PACKAGES = (
    "java.io",
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.math",
    "java.net",
    "java.nio",
    "java.security",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.misc",
    "sun.nio.ch",
)
_EXPORTS = (
    "java.base/org.apache.karaf.specs.locator=java.xml,ALL-UNNAMED",
    "java.base/sun.net.www.protocol.file=ALL-UNNAMED",
    "java.base/sun.net.www.protocol.ftp=ALL-UNNAMED",
    "java.base/sun.net.www.protocol.http=ALL-UNNAMED",
    "java.base/sun.net.www.protocol.https=ALL-UNNAMED",
    "java.base/sun.net.www.protocol.jar=ALL-UNNAMED",
    "java.base/sun.net.www.content.text=ALL-UNNAMED",
    "jdk.xml.dom/org.w3c.dom.html=ALL-UNNAMED",
    "jdk.naming.rmi/com.sun.jndi.url.rmi=ALL-UNNAMED",
    "java.security.sasl/com.sun.security.sasl=ALL-UNNAMED",
)
# What Atomix is made of, in Karaf's repository.
_STORAGE_JARS = (
    "com/esotericsoftware",
    "com/fasterxml/jackson/core",
    "com/google/guava",
    "com/typesafe",
    "io/atomix",
    "io/github/classgraph",
    "io/netty",
    "org/apache/commons/commons-lang3",
    "org/apache/commons/commons-math3",
    "org/objenesis",
    "org/ops4j/pax/logging/pax-logging-api",
)


def java() -> str:
    """The java program: JAVA_HOME's, else the PATH's."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if program is None:
        raise LauncherError("java not found: install a JDK 11 or 17 (Debian: openjdk-17-jdk)")
    return program


def storage_command(address: str, data: Path) -> list[str]:
    """The arguments that start the storage node of a cluster, with jars of ONOS's own."""
    karaf = distribution.KARAF
    jars = [
        *(jar for group in _STORAGE_JARS for jar in (karaf / "system" / group).rglob("*.jar")),
        *(karaf / "lib" / "boot").glob("osgi.core-*.jar"),
        *(distribution.MODULE / "storage" / "target").glob("sluice-lab-onos-storage-*.jar"),
    ]
    return [
        java(),
        "-Xmx256m",
        "-XX:TieredStopAtLevel=1",
        "-Djdk.util.zip.disableZip64ExtraFieldValidation=true",
        "-Dorg.ops4j.pax.logging.DefaultServiceLog.level=WARN",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED_PACKAGES),
        *("-classpath", ":".join(map(str, jars)), "org.sluice.lab.onos.storage.StorageNode"),
        *(CLUSTER_NAME, address, str(STORAGE_PORT), str(data)),
    ]


def command(run: RunDirectory, settings: Settings) -> list[str]:
    """The arguments that start ONOS in a prepared run directory."""
    karaf = distribution.KARAF
    endorsed = karaf / "lib" / "endorsed"
    jars = sorted(
        [*(karaf / "lib" / "boot").glob("*.jar"), *(karaf / "lib/jdk9plus").glob("*.jar")]
    )
    system_properties = {
        "karaf.home": karaf,
        "karaf.base": run.base,
        "karaf.data": run.data,
        "karaf.etc": run.etc,
        "karaf.log": run.data / "log",
        "karaf.instances": run.base / "instances",
        "karaf.startLocalConsole": "false",
        "karaf.startRemoteShell": "true",
        "java.io.tmpdir": run.data / "tmp",
        "java.util.logging.config.file": run.etc / "java.util.logging.properties",
        # Two ONOS 2.5.6 jars carry a Zip64 field that newer JDKs refuse.
        "jdk.util.zip.disableZip64ExtraFieldValidation": "true",
        "ds.lock.timeout.milliseconds": "10000",
    }
    if settings.bind != "0.0.0.0":
        system_properties["org.sluice.lab.onos.bind"] = settings.bind
        # Read by Atomix (HOCON, system properties first) for ONOS's cluster port.
        system_properties["cluster.messaging.interfaces.0"] = settings.bind
    return [
        java(),
        "-Xms256m",
        f"-Xmx{settings.heap_mib}m",
        # A lab's ONOS lives for minutes beside the network that it controls: the second
        # compiler would take more of two cores than its faster code gives back.
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseG1GC",
        "-XX:MaxGCPauseMillis=200",
        "--add-reads=java.xml=java.logging",
        f"--patch-module=java.base={endorsed}/org.apache.karaf.specs.locator-4.2.15.jar",
        f"--patch-module=java.xml={endorsed}/org.apache.karaf.specs.java.xml-4.2.15.jar",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED_PACKAGES),
        "--add-opens=java.naming/javax.naming.spi=ALL-UNNAMED",
        "--add-opens=java.rmi/sun.rmi.transport.tcp=ALL-UNNAMED",
        *(f"--add-exports={export}" for export in _EXPORTS),
        *(f"-D{name}={value}" for name, value in system_properties.items()),
        "-classpath",
        ":".join(str(jar) for jar in jars),
        "org.apache.karaf.main.Main",
    ]
