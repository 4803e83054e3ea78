# SPDX-License-Identifier: Apache-2.0
"""What a release's files contain: read from the files themselves, written as CycloneDX 1.6.

Maven's plugin describes what the modules depend on, which is more than the archive carries:
annotations that stay outside, and each module once as a bundle and once as a dependency. The
document of the archive names the jars that are in it, each found by its hash. The jar of
sluiced has other jars' classes unpacked: its document names those jars, found by the hashes of all
classes. That of a Go program names the modules that the linker recorded in the binary.
"""

import argparse
import hashlib
import io
import json
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path

# Maven's local repository.
MAVEN = Path.home() / ".m2" / "repository"


class ContentsError(Exception):
    """A file is not what it should be."""


def sha256(content: bytes) -> str:
    """The hash under which the documents name a file."""
    return hashlib.sha256(content).hexdigest()


def jars(archive: bytes) -> dict[str, bytes]:
    """Every jar in an archive, however deep, by its path; `outer.jar!inner.jar` for nested ones."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for name in opened.namelist():
            if name.endswith(".jar"):
                content = opened.read(name)
                found[name] = content
                found.update({f"{name}!{inner}": jar for inner, jar in jars(content).items()})
    return found


def classes(jar: bytes) -> dict[str, str]:
    """The hash of every class in a jar, by its path."""
    with zipfile.ZipFile(io.BytesIO(jar)) as opened:
        return {
            name: sha256(opened.read(name))
            for name in opened.namelist()
            if name.endswith(".class") and not name.endswith("module-info.class")
        }


def directories(paths: Iterable[str]) -> set[str]:
    """Where files are."""
    return {path.rpartition("/")[0] for path in paths}


def go_modules(binary: Path) -> tuple[str, list[tuple[str, str, str]]]:
    """The Go release that built a binary, and path, version and checksum of each module in it."""
    listing = subprocess.run(
        ["go", "version", "-m", str(binary)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    modules = []
    for line in listing[1:]:
        fields = line.split()
        if fields[0] == "=>":
            raise ContentsError(f"{binary.name} has a replaced module: {line.strip()}")
        if fields[0] == "dep":
            modules.append((fields[1], fields[2], fields[3]))
    return listing[0].rsplit("go", 1)[1], modules


def npm_packages(lock: dict) -> list[tuple[str, str]]:
    """Name and version of what the page carries: all of the lock file but the build's tools."""
    return [
        (path.rsplit("node_modules/", 1)[1], package["version"])
        for path, package in sorted(lock["packages"].items())
        if path and not package.get("dev")
    ]


def describe_archive(archive: bytes, name: str, version: str, maven: dict, lock: dict) -> dict:
    """The document of an application, of ONOS or OpenDaylight."""
    by_hash = {}
    for component in maven["components"]:
        for entry in component.get("hashes", []):
            if entry["alg"] == "SHA-256":
                by_hash.setdefault(entry["content"], component)
    inside = {}
    for path, content in sorted(jars(archive).items()):
        digest = sha256(content)
        if digest not in by_hash:
            raise ContentsError(f"{path} is in {name}, but no module depends on it")
        component = inside.setdefault(digest, dict(by_hash[digest]))
        component["hashes"] = [{"alg": "SHA-256", "content": digest}]
        component.setdefault("evidence", {"occurrences": []})["occurrences"].append(
            {"location": path}
        )
        component.pop("scope", None)
    components = list(inside.values()) + _page(lock)
    return _document(name.partition(f"-{version}.")[0], version, archive, components)


def _page(lock: dict) -> list[dict]:
    return [
        {
            "type": "library",
            "bom-ref": f"pkg:npm/{package}@{version}",
            "name": package,
            "version": version,
            "purl": f"pkg:npm/{package}@{version}",
        }
        for package, version in npm_packages(lock)
    ]


def describe_jar(jar: bytes, version: str, maven: dict, lock: dict, tree: Path) -> dict:
    """The document of sluiced, which was built in a tree."""
    built = {sha256(path.read_bytes()): path for path in tree.glob("**/target/sluice-*.jar")}
    offered = []
    for component in maven["components"]:
        file = _file(component, built)
        if file:
            offered.append((component, set(classes(file.read_bytes()).items())))
    components = []
    unnamed = set(classes(jar).items())
    while unnamed:
        component, has = max(offered, key=lambda each: len(each[1] & unnamed))
        if not has & unnamed:
            raise ContentsError(f"no module has {sorted(unnamed)[0][0]} of sluiced as it is there")
        places = sorted(directories(path for path, _ in has & unnamed))
        described = dict(component) | {
            "evidence": {"occurrences": [{"location": place} for place in places]}
        }
        described.pop("scope", None)
        components.append(described)
        unnamed -= has
    return _document("sluiced", version, jar, components + _page(lock))


def _file(component: dict, built: dict[str, Path]) -> Path | None:
    """Where a module's jar is: in the tree, or among what Maven has fetched."""
    digests = [each["content"] for each in component.get("hashes", []) if each["alg"] == "SHA-256"]
    own = next((built[digest] for digest in digests if digest in built), None)
    name, version = component["name"], component["version"]
    directory = MAVEN / component["group"].replace(".", "/") / name / version
    for path in directory.glob(f"{name}-{version}*.jar"):
        if not own and sha256(path.read_bytes()) in digests:
            return path
    return own


def describe_program(binary: Path, name: str, version: str) -> dict:
    """The document of a Go program, and so of the Debian package that carries it."""
    go, modules = go_modules(binary)
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:golang/std@{go}",
            "name": "std",
            "version": go,
            "purl": f"pkg:golang/std@{go}",
            "licenses": [{"license": {"id": "BSD-3-Clause"}}],
        }
    ]
    components += [
        {
            "type": "library",
            "bom-ref": f"pkg:golang/{path}@{module_version}",
            "name": path,
            "version": module_version,
            "purl": f"pkg:golang/{path}@{module_version}",
            "properties": [{"name": "go.sum", "value": checksum}],
        }
        for path, module_version, checksum in modules
    ]
    return _document(name, version, binary.read_bytes(), components)


def _document(name: str, version: str, content: bytes, components: list[dict]) -> dict:
    """No serial number and no time: the same file has the same document."""
    itself = f"pkg:generic/{name}@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": itself,
                "name": name,
                "version": version,
                "purl": itself,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "hashes": [{"alg": "SHA-256", "content": sha256(content)}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": itself, "dependsOn": [component["bom-ref"] for component in components]}
        ],
    }


def main() -> int:
    """Prints the document of one file."""
    parser = argparse.ArgumentParser(prog="release/sbom")
    kinds = parser.add_subparsers(dest="kind", required=True)
    archive = kinds.add_parser("archive", help="of the .oar or a .kar")
    archive.add_argument("file", type=Path)
    archive.add_argument("--version", required=True)
    archive.add_argument("--maven", type=Path, required=True, help="what Maven's plugin wrote")
    archive.add_argument("--npm", type=Path, required=True, help="the page's package-lock.json")
    jar = kinds.add_parser("jar", help="of sluiced")
    jar.add_argument("file", type=Path)
    jar.add_argument("--version", required=True)
    jar.add_argument("--maven", type=Path, required=True, help="what Maven's plugin wrote")
    jar.add_argument("--npm", type=Path, required=True, help="the page's package-lock.json")
    jar.add_argument("--tree", type=Path, required=True, help="where it was built")
    program = kinds.add_parser("program", help="of the binary of the agent or of sluicectl")
    program.add_argument("file", type=Path)
    program.add_argument("--name", required=True)
    program.add_argument("--version", required=True)
    options = parser.parse_args()
    try:
        if options.kind == "archive":
            document = describe_archive(
                options.file.read_bytes(),
                options.file.name,
                options.version,
                json.loads(options.maven.read_text()),
                json.loads(options.npm.read_text()),
            )
        elif options.kind == "jar":
            document = describe_jar(
                options.file.read_bytes(),
                options.version,
                json.loads(options.maven.read_text()),
                json.loads(options.npm.read_text()),
                options.tree,
            )
        else:
            document = describe_program(options.file, options.name, options.version)
    except ContentsError as e:
        parser.exit(1, f"release/sbom: {e}\n")
    print(json.dumps(document, indent=2))
    return 0
