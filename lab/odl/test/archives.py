# SPDX-License-Identifier: Apache-2.0
"""Karaf archives with one bundle, which has nothing but a manifest."""

import io
import zipfile
from pathlib import Path

NAME = "org.sluice.test.bundle"
FEATURE = "sluice-test"
_PLACE = "repository/org/sluice/test/1/test-1"
_FEATURES = f"""\
<features xmlns="http://karaf.apache.org/xmlns/features/v1.6.0" name="{FEATURE}">
  <feature name="{FEATURE}" version="1">
    <bundle>mvn:org.sluice/test/1</bundle>
  </feature>
</features>
"""


def archive(path: Path, header: str) -> Path:
    """Makes an archive whose bundle has one more header in its manifest."""
    lines = [
        "Manifest-Version: 1.0",
        "Bundle-ManifestVersion: 2",
        f"Bundle-SymbolicName: {NAME}",
        "Bundle-Version: 1.0.0",
        header,
    ]
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as bundle:
        bundle.writestr("META-INF/MANIFEST.MF", "\r\n".join(lines) + "\r\n")
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(f"{_PLACE}.jar", jar.getvalue())
        made.writestr(f"{_PLACE}-features.xml", _FEATURES)
    return path
