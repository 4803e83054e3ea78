# SPDX-License-Identifier: Apache-2.0
"""The assembled ONOS: Karaf, ONOS's jars and the stand-ins, built once by Maven."""

from collections.abc import Callable
from pathlib import Path

from karaf import building

MODULE = Path(__file__).resolve().parent.parent
HOME = MODULE / "distribution" / "target" / "onos"
KARAF = HOME / "apache-karaf-4.2.15"
ONOS_VERSION = "2.5.6"

_STAND_INS = KARAF / "system/org/sluice"
_FEATURES = _STAND_INS / f"onos-features/{ONOS_VERSION}/onos-features-{ONOS_VERSION}-features.xml"
_VERSION = MODULE.parents[1] / "VERSION"
_SOURCE_SUFFIXES = (".java", ".xml", ".properties", ".cfg", ".cfgdef")


def ensure_built(note: Callable[[str], None]) -> None:
    """Builds the distribution when it is missing or older than its sources."""
    with building.lock(MODULE / "target" / "build.lock"):
        if not _is_current():
            note("assembling ONOS with Maven (first time: some minutes) ...")
            version = f"-Drevision={_VERSION.read_text().strip()}"
            pom = str(MODULE / "pom.xml")
            building.maven(["-f", pom, version, "package", "-DskipTests"], _FEATURES)


def _is_current() -> bool:
    built = max((path.stat().st_mtime for path in _STAND_INS.rglob("*.*")), default=0.0)
    sources = (
        path
        for path in MODULE.rglob("*")
        if path.suffix in _SOURCE_SUFFIXES and "target" not in path.relative_to(MODULE).parts
    )
    newest = max(path.stat().st_mtime for path in (_VERSION, *sources))
    return _FEATURES.exists() and built >= newest
