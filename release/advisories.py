# SPDX-License-Identifier: Apache-2.0
"""Known vulnerabilities of the dependencies, by OSV and by each ecosystem's own auditor.

OSV (osv.dev) covers all four ecosystems; npm and Go have auditors of their own besides. An
ecosystem for which no source answers is reported as not checked, never as sound.
"""

import argparse
import json
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

TOP = Path(__file__).resolve().parent.parent
VERSION = (TOP / "VERSION").read_text().strip()
LOCK = TOP / "web-gui" / "package-lock.json"
REQUIREMENTS = TOP / "lab" / "onos" / "contract" / "requirements.txt"
GO_MODULES = (TOP / "host-agent", TOP / "docs" / "monitoring" / "schema")
# The applications and the simulator with what they bring along, not what the controllers bring.
MAVEN = (
    "mvn", "--batch-mode", "--no-transfer-progress", "-q", "-Dexec.skip", f"-Drevision={VERSION}",
    "-pl", "app/onos,app/odl/jackson,lab/sim", "-am", "compile",
    "org.cyclonedx:cyclonedx-maven-plugin:makeAggregateBom",
)  # fmt: skip
BOM = TOP / "target" / "bom.json"
GOVULNCHECK = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
OSV = "https://api.osv.dev/v1"
OSV_BATCH = 500
TIMEOUT_SECONDS = 30
EPILOG = """\
exit status: 0 every ecosystem was checked, and nothing is known that a newer version fixes;
1 a vulnerability has a fixed version; 2 wrong usage, or the dependencies could not be listed;
3 an ecosystem could not be checked.
"""


class Package(NamedTuple):
    """A dependency as OSV names it."""

    ecosystem: str
    name: str
    version: str


class Finding(NamedTuple):
    """A vulnerability of one version of a package; `fixed` is empty where no release mends it."""

    package: Package
    advisory: str
    fixed: str


class UnavailableError(Exception):
    """A source of advisories does not answer."""


class InventoryError(Exception):
    """The dependencies of an ecosystem could not be listed."""


Fetch = Callable[[str, Any], Any]
Run = Callable[..., str]
Audit = Callable[[list[Package]], list[Finding]]


def fetch(url: str, body: Any = None) -> Any:
    """The JSON of a GET, or of a POST where there is a body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data, {"Content-Type": "application/json"} if data else {}
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return json.load(response)
    except (OSError, ValueError) as e:
        raise UnavailableError(f"{url}: {getattr(e, 'reason', e)}") from e


def run(command: Iterable[str], directory: Path = TOP, *, may_fail: bool = False) -> str:
    """What a command prints; `may_fail` where its exit status is one of its answers."""
    try:
        done = subprocess.run(
            list(command),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as e:
        raise UnavailableError(str(e)) from e
    if done.returncode and not may_fail:
        # Before its error Go lists what it downloads; Maven prints the error as its output.
        output = (done.stderr + done.stdout).splitlines()
        said = (line for line in output if line and not line.startswith("go: downloading"))
        raise UnavailableError(next(said, f"exit status {done.returncode}"))
    return done.stdout


def npm_packages(lock: dict) -> list[Package]:
    """All of a lock file: what the page carries, and the tools of its build."""
    return [
        Package("npm", path.rsplit("node_modules/", 1)[1], package["version"])
        for path, package in lock["packages"].items()
        if path
    ]


def pypi_packages(requirements: str) -> list[Package]:
    """Every line NAME==VERSION."""
    pinned = re.findall(r"^([\w.-]+)==(\S+)", requirements, re.MULTILINE)
    return [Package("PyPI", name, version) for name, version in pinned]


def go_packages(run: Run) -> list[Package]:
    """Modules with packages that the agent, its tests and tools, or the dashboard's check import.

    Go's own library is one of them.
    """
    found = {Package("Go", "stdlib", run(["go", "env", "GOVERSION"], GO_MODULES[0]).strip()[2:])}
    form = "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}{{end}}{{end}}"
    listing = ["go", "list", "-deps", "-test", "-f", form, "./...", "tool"]
    for directory in GO_MODULES:
        for line in run(listing, directory).splitlines():
            name, version = line.split()
            found.add(Package("Go", name, version.removeprefix("v")))
    return sorted(found)


def maven_packages(bom: dict) -> list[Package]:
    """What Maven's CycloneDX plugin lists, without Sluice's own modules."""
    return sorted(
        {
            Package("Maven", f"{each['group']}:{each['name']}", each["version"])
            for each in bom["components"]
            if each.get("group") != "org.sluice"
        }
    )


def inventory(run: Run) -> dict[str, list[Package]]:
    """All packages, by ecosystem."""
    try:
        run(MAVEN)
        return {
            "Maven": maven_packages(json.loads(BOM.read_text())),
            "Go": go_packages(run),
            "npm": npm_packages(json.loads(LOCK.read_text())),
            "PyPI": pypi_packages(REQUIREMENTS.read_text()),
        }
    except (UnavailableError, OSError, ValueError, KeyError) as e:
        raise InventoryError(str(e)) from e


def _order(version: str) -> tuple[int, ...]:
    """Enough to order releases; a pre-release counts as its release."""
    return tuple(
        int(number) for number in re.findall(r"\d+", re.split(r"[-+]", version, maxsplit=1)[0])
    )


def first_fixed(advisory: dict, package: Package) -> str:
    """The first release from this version on that an advisory of OSV's form calls fixed.

    The fixes of older branches are none for it.
    """
    fixed = [
        event["fixed"]
        for affected in advisory["affected"]
        if affected.get("package", {}).get("name") == package.name
        for of_range in affected.get("ranges", [])
        if of_range["type"] != "GIT"
        for event in of_range["events"]
        if "fixed" in event
    ]
    later = [each for each in fixed if _order(each) >= _order(package.version)]
    return min(later, key=_order, default="")


def by_osv(packages: list[Package], fetch: Fetch) -> list[Finding]:
    """OSV's advisories about packages of any ecosystem."""
    found: list[tuple[Package, str]] = []
    queries = [
        (
            each,
            {"package": {"name": each.name, "ecosystem": each.ecosystem}, "version": each.version},
        )
        for each in packages
    ]
    while queries:
        batch, queries = queries[:OSV_BATCH], queries[OSV_BATCH:]
        answer = fetch(f"{OSV}/querybatch", {"queries": [query for _, query in batch]})
        for (package, query), result in zip(batch, answer["results"], strict=True):
            found += [(package, each["id"]) for each in result.get("vulns", [])]
            if "next_page_token" in result:
                queries.append((package, query | {"page_token": result["next_page_token"]}))
    advisories = {name: fetch(f"{OSV}/vulns/{name}", None) for name in {each[1] for each in found}}
    return [
        Finding(package, name, first_fixed(advisories[name], package))
        for package, name in found
        if "withdrawn" not in advisories[name]
    ]


def by_npm(packages: list[Package], run: Run) -> list[Finding]:
    """What `npm audit` reports about the lock file."""
    command = ["npm", "audit", "--json", "--package-lock-only"]
    report = json.loads(run(command, LOCK.parent, may_fail=True))
    if "vulnerabilities" not in report:
        raise UnavailableError(report.get("message", "no report"))
    found = []
    for name, vulnerable in report["vulnerabilities"].items():
        installed = ", ".join(each.version for each in packages if each.name == name)
        for advisory in vulnerable["via"]:
            if isinstance(
                advisory, dict
            ):  # else the name of a dependency that has a record of its own
                fixed = f"outside {advisory['range']}" if vulnerable["fixAvailable"] else ""
                identity = advisory["url"].rsplit("/", 1)[1]
                found.append(Finding(Package("npm", name, installed), identity, fixed))
    return found


def by_govulncheck(run: Run) -> list[Finding]:
    """What govulncheck reports about imported packages, whether the code calls them or not."""
    found = set()
    for directory in GO_MODULES:
        text = run(
            ["go", "run", GOVULNCHECK, "-format", "json", "-scan", "package", "./..."], directory
        )
        messages, decoder = [], json.JSONDecoder()
        while text := text.lstrip():
            message, end = decoder.raw_decode(text)
            messages.append(message)
            text = text[end:]
        for finding in (each["finding"] for each in messages if "finding" in each):
            at = finding["trace"][0]
            package = Package("Go", at["module"], at["version"].removeprefix("v"))
            found.add(Finding(package, finding["osv"], finding.get("fixed_version", "")))
    return sorted(found)


def sources(fetch: Fetch, run: Run) -> dict[str, dict[str, Audit]]:
    """The sources of each ecosystem's advisories."""

    def osv(packages: list[Package]) -> list[Finding]:
        return by_osv(packages, fetch)

    return {
        "Maven": {"OSV": osv},
        "Go": {"OSV": osv, "govulncheck": lambda _: by_govulncheck(run)},
        "npm": {"OSV": osv, "npm audit": lambda packages: by_npm(packages, run)},
        "PyPI": {"OSV": osv},
    }


def audit(packages: dict[str, list[Package]], fetch: Fetch, run: Run) -> dict:
    """Queries every source; the report that --json prints."""
    report: dict[str, Any] = {"ecosystems": {}, "vulnerabilities": []}
    for ecosystem, queried in sources(fetch, run).items():
        answered, failed, found = [], {}, set()
        for source, of in queried.items():
            try:
                found |= set(of(packages[ecosystem]))
                answered.append(source)
            except (UnavailableError, ValueError, KeyError) as e:
                failed[source] = str(e) or type(e).__name__
        report["ecosystems"][ecosystem] = {
            "packages": len(packages[ecosystem]),
            "checkedBy": answered,
            "unavailable": failed,
        }
        report["vulnerabilities"] += [
            each.package._asdict() | {"advisory": each.advisory, "fixed": each.fixed or None}
            for each in sorted(found)
        ]
    return report


def status(report: dict) -> int:
    """The exit status of a report."""
    if any(each["fixed"] for each in report["vulnerabilities"]):
        return 1
    return 0 if all(each["checkedBy"] for each in report["ecosystems"].values()) else 3


def lines(report: dict) -> Iterable[str]:
    """The report as text."""
    for name, ecosystem in report["ecosystems"].items():
        about = f"{name}, {ecosystem['packages']} packages"
        failures = "; ".join(f"{who}: {why}" for who, why in ecosystem["unavailable"].items())
        if ecosystem["checkedBy"]:
            yield f"checked: {about}: by {' and '.join(ecosystem['checkedBy'])}"
            if failures:
                yield f"  unavailable: {failures}"
        else:
            yield f"not checked: {about}: {failures}"
    for each in report["vulnerabilities"]:
        package = f"{each['ecosystem']} {each['name']} {each['version']}"
        fixed = f"fixed in {each['fixed']}" if each["fixed"] else "no fixed version"
        yield f"vulnerable: {package}: {each['advisory']}, {fixed}"


def main() -> int:
    """Audits this tree; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="release/audit",
        description="Finds known vulnerabilities in what Sluice depends on.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    try:
        report = audit(inventory(run), fetch, run)
    except InventoryError as e:
        parser.exit(2, f"release/audit: the dependencies could not be listed: {e}\n")
    print(json.dumps(report, indent=2) if options.json else "\n".join(lines(report)))
    return status(report)
