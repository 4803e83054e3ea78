# SPDX-License-Identifier: Apache-2.0
"""Checks a release: its sums, that its parts have one version, and that its documents are true."""

import argparse
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path

from contents import ContentsError, classes, directories, go_modules, jars, npm_packages, sha256

SUMS = "SHA256SUMS"
# Where their packages install them.
PROGRAMS = {"sluice-agent": "./usr/sbin/sluice-agent", "sluicectl": "./usr/bin/sluicectl"}
# What the page is built from: its bundle is one file, in which packages cannot be distinguished.
PAGE_LOCK = Path(__file__).parents[1] / "web-gui" / "package-lock.json"
# The applications of OpenDaylight's lines.
LINES = ("0.17", "0.20")


def verify(directory: Path) -> list[str]:
    """Raises ContentsError at the first fault; returns what has been found to hold."""
    _check_sums(directory)
    oar = _one(directory, "sluice-*.oar")
    version = oar.name.removeprefix("sluice-").removesuffix(".oar")
    held = []
    for archive in (oar, *(_one(directory, f"sluice-odl-{line}-{version}.kar") for line in LINES)):
        _check_application(archive, version)
        held.append(f"{archive.name}: {_check_archive(archive, version)} jars, all named")
    for name, installed in PROGRAMS.items():
        binary = _one(directory, f"{name}-*-linux-*")
        package = _one(directory, f"{name}_*.deb")
        _check_package(package, version, binary, installed)
        modules = _check_program(binary, version)
        held.append(f"{package.name}: carries {binary.name}; {modules} modules, all named")
    jar = _one(directory, "sluiced-*.jar")
    package = _one(directory, "sluiced_*.deb")
    _check_package(package, version, jar, "./usr/share/sluiced/sluiced.jar")
    held.append(f"{package.name}: carries {jar.name}; {_check_jar(jar, version)} jars, all named")
    return held


def _one(directory: Path, pattern: str) -> Path:
    found = [path for path in directory.glob(pattern) if not path.name.endswith(".cdx.json")]
    if len(found) != 1:
        raise ContentsError(f"{len(found)} files in {directory} are named {pattern}, not one")
    return found[0]


def _check_sums(directory: Path) -> None:
    listed = {}
    for line in (directory / SUMS).read_text().splitlines():
        expected, name = line.split("  ", 1)
        listed[name] = expected
    present = {path.name for path in directory.iterdir()} - {SUMS}
    if present != set(listed):
        raise ContentsError(f"{SUMS} and the folder differ: {sorted(present ^ set(listed))}")
    for name, expected in listed.items():
        if sha256((directory / name).read_bytes()) != expected:
            raise ContentsError(f"{name} is not what {SUMS} has the sum of")


def _check_application(archive: Path, version: str) -> None:
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            is_description = name == "app.xml" or name.endswith("features.xml")
            if is_description and f'version="{version}"' not in opened.read(name).decode():
                raise ContentsError(f"{archive.name} has another version in its {name}")


def _check_package(package: Path, version: str, binary: Path, installed: str) -> None:
    field = subprocess.run(
        ["dpkg-deb", "--field", str(package), "Version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if field != version:
        raise ContentsError(f"{package.name} has the version {field}")
    content = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(package)], capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as files:
        content = files.extractfile(installed).read()
    if content != binary.read_bytes():
        raise ContentsError(f"{package.name} carries another program than {binary.name}")


def _document(file: Path, version: str) -> list[dict]:
    document = json.loads(file.with_name(file.name + ".cdx.json").read_text())
    described = document["metadata"]["component"]
    if described["hashes"] != [{"alg": "SHA-256", "content": sha256(file.read_bytes())}]:
        raise ContentsError(f"the document beside {file.name} is about another file")
    if described["version"] != version:
        raise ContentsError(f"the document beside {file.name} is about {described['version']}")
    return document["components"]


def _check_archive(archive: Path, version: str) -> int:
    document = _document(archive, version)
    _check_page({(each["name"], each["version"]) for each in _of_kind("npm", document)})
    components = _of_kind("maven", document)
    inside = jars(archive.read_bytes())
    described = {
        occurrence["location"]: component
        for component in components
        for occurrence in component["evidence"]["occurrences"]
    }
    if set(described) != set(inside):
        raise ContentsError(f"not named, or not there: {sorted(set(described) ^ set(inside))}")
    for path, content in inside.items():
        component = described[path]
        if not path.endswith(f"{component['name']}-{component['version']}.jar"):
            raise ContentsError(f"{path} is named {component['name']} {component['version']}")
        if component["hashes"][0]["content"] != sha256(content):
            raise ContentsError(f"{path} has another hash than its component")
    return len(inside)


def _check_jar(jar: Path, version: str) -> int:
    document = _document(jar, version)
    _check_page({(each["name"], each["version"]) for each in _of_kind("npm", document)})
    components = _of_kind("maven", document)
    described = {
        occurrence["location"]
        for component in components
        for occurrence in component["evidence"]["occurrences"]
    }
    present = directories(classes(jar.read_bytes()))
    if described != present:
        raise ContentsError(f"not named, or not there: {sorted(described ^ present)}")
    return len(components)


def _of_kind(kind: str, components: list[dict]) -> list[dict]:
    return [each for each in components if each["purl"].startswith(f"pkg:{kind}/")]


def _check_page(described: set[tuple[str, str]]) -> None:
    locked = set(npm_packages(json.loads(PAGE_LOCK.read_text())))
    if described != locked:
        raise ContentsError(f"not named, or not in the page: {sorted(described ^ locked)}")


def _check_program(binary: Path, version: str) -> int:
    described = {
        (component["name"], component["version"]) for component in _document(binary, version)
    }
    go, modules = go_modules(binary)
    linked = {(path, module_version) for path, module_version, _ in modules} | {("std", go)}
    if described != linked:
        raise ContentsError(f"not named, or not linked: {sorted(described ^ linked)}")
    return len(linked)


def main() -> int:
    """Prints what holds; exits with 1 at the first fault."""
    parser = argparse.ArgumentParser(prog="release/verify")
    parser.add_argument("directory", type=Path)
    options = parser.parse_args()
    try:
        for line in verify(options.directory):
            print(line)
    except ContentsError as e:
        parser.exit(1, f"release/verify: {e}\n")
    return 0
