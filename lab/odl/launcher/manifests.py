# SPDX-License-Identifier: Apache-2.0
"""What the bundles of a running OpenDaylight offer and need, for tests of resolution without it."""

import gzip
import re
import zipfile
from pathlib import Path
from typing import IO

from karaf import shell
from karaf.rundirectory import RunDirectory

_HEADERS = (
    "Bundle-SymbolicName",
    "Bundle-Version",
    "Fragment-Host",
    "Export-Package",
    "Import-Package",
    "Require-Bundle",
    "Provide-Capability",
    "Require-Capability",
)
# Karaf names jars that it makes bundles of after their place, which is another one in each run.
_PLACE = re.compile(r"wrap_file_\S+?_karaf_system_")
_CACHE = "data/cache/org.eclipse.osgi"


def write(run: RunDirectory, record: dict, file: Path) -> int:
    """Writes the manifests, each followed by an empty line; returns their number."""
    bundles = [read(jar) for jar in (run.base / _CACHE).glob("*/*/bundleFile")]
    headers = shell.run(record["address"], record["ports"]["ssh"], "headers 0 | cat")
    manifests = sorted(map(_text, [framework(headers), *bundles]))
    # Without a time, so that the same bundles make the same file.
    file.write_bytes(gzip.compress("".join(manifests).encode(), mtime=0))
    return len(manifests)


def read(jar: Path | IO[bytes]) -> dict[str, str]:
    """The headers of a bundle's manifest; wrapped ones are joined."""
    with zipfile.ZipFile(jar) as opened:
        text = opened.read("META-INF/MANIFEST.MF").decode()
    lines = text.replace("\r\n", "\n").replace("\n ", "").splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def framework(shown: str) -> dict[str, str]:
    """The framework's headers, from what `headers` shows of it: each clause is one tab deep."""
    clauses: dict[str, list[str]] = {}
    for line in shown.splitlines():
        if not line.startswith("\t"):
            name, _, value = line.partition(" =")
            clauses[name] = [value.strip()] if value.strip() else []
        elif line.startswith("\t\t"):
            clauses[name][-1] += line.strip()
        else:
            clauses[name].append(line.strip())
    environments = [
        clause.rstrip(",") for clause in clauses["Provide-Capability"] if "osgi.ee" in clause
    ]
    return {
        "Bundle-SymbolicName": clauses["Bundle-SymbolicName"][0],
        "Bundle-Version": clauses["Bundle-Version"][0],
        "Export-Package": "".join(clauses["Export-Package"]),
        # What it offers as services is of no use to a resolver.
        "Provide-Capability": ",".join(environments),
    }


def _text(headers: dict[str, str]) -> str:
    lines = [f"{name}: {headers[name]}\n" for name in _HEADERS if name in headers]
    return _PLACE.sub("wrap_", "".join(lines)) + "\n"
