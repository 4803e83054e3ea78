# SPDX-License-Identifier: Apache-2.0
"""How the manifests of an OpenDaylight are read."""

import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from launcher import manifests

SHOWN = """\

OSGi System Bundle (0)
----------------------
Bundle-SymbolicName = org.eclipse.osgi; singleton:=true
Bundle-Version = 3.18.0

Provide-Capability =\x20
\tosgi.service;
\t\tuses:=org.osgi.service.log,
\tosgi.ee;
\t\tosgi.ee=JavaSE;
\t\tversion:List<Version>="1.8,
\t\t\t17.0"

Export-Package =\x20
\torg.osgi.framework;
\t\tversion=1.10,
\tjavax.net
"""


def test_the_frameworks_packages_and_environments_are_read():
    assert manifests.framework(SHOWN) == {
        "Bundle-SymbolicName": "org.eclipse.osgi; singleton:=true",
        "Bundle-Version": "3.18.0",
        "Export-Package": "org.osgi.framework;version=1.10,javax.net",
        "Provide-Capability": 'osgi.ee;osgi.ee=JavaSE;version:List<Version>="1.8,17.0"',
    }


def test_wrapped_headers_are_joined(tmp_path: Path):
    jar = tmp_path / "a.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr(
            "META-INF/MANIFEST.MF", "Bundle-Name: a\r\nImport-Package: org.s\r\n lf4j\r\n"
        )
    assert manifests.read(jar) == {"Bundle-Name": "a", "Import-Package": "org.slf4j"}
