# SPDX-License-Identifier: Apache-2.0
"""A small ONOS application archive: one web bundle with a static page, no Java."""

import io
import zipfile

NAME = "org.sluice.lab.page"
CONTEXT = "/onos/sluice-lab-page"
PAGE = "<p>served from an application's web bundle</p>"

_APP = f"""<?xml version="1.0" encoding="UTF-8"?>
<app name="{NAME}" origin="Sluice lab" version="1.0.0" title="Test page" category="Utility"
     url="https://example.org/" featuresRepo="mvn:org.sluice/lab-page/1.0.0/xml/features"
     features="lab-page"
     apps="org.onosproject.openflow-base,org.onosproject.lldpprovider,org.onosproject.hostprovider">
  <description>Serves one page.</description>
</app>
"""
_FEATURES = """<?xml version="1.0" encoding="UTF-8"?>
<features xmlns="http://karaf.apache.org/xmlns/features/v1.2.0" name="lab-page-1.0.0">
  <feature name="lab-page" version="1.0.0">
    <feature>onos-api</feature>
    <bundle>mvn:org.sluice/lab-page/1.0.0</bundle>
  </feature>
</features>
"""
_MANIFEST = f"""Manifest-Version: 1.0
Bundle-ManifestVersion: 2
Bundle-SymbolicName: org.sluice.lab-page
Bundle-Version: 1.0.0
Web-ContextPath: {CONTEXT}

"""
_WEB = """<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="http://java.sun.com/xml/ns/javaee" version="2.5"/>
"""


def archive() -> bytes:
    """Returns the .oar."""
    folder = "m2/org/sluice/lab-page/1.0.0/lab-page-1.0.0"
    return _zip(
        {
            "app.xml": _APP,
            f"{folder}-features.xml": _FEATURES,
            f"{folder}.jar": _zip(
                {
                    "META-INF/MANIFEST.MF": _MANIFEST,
                    "WEB-INF/web.xml": _WEB,
                    "index.html": PAGE,
                }
            ),
        }
    )


def _zip(files: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, content in files.items():
            archive_file.writestr(name, content)
    return packed.getvalue()
