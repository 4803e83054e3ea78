# SPDX-License-Identifier: Apache-2.0
"""A known vulnerability with a fix fails the audit; what could not be queried is named."""

import json
import subprocess
from pathlib import Path
from typing import Any

import advisories
import pytest
from advisories import (
    Package,
    UnavailableError,
    audit,
    by_govulncheck,
    by_npm,
    by_osv,
    lines,
    status,
)

GRPC = Package("Maven", "io.grpc:grpc-netty-shaded", "1.68.1")
NET = Package("Go", "golang.org/x/net", "0.6.0")
MINIMIST = Package("npm", "minimist", "1.2.5")
REQUESTS = Package("PyPI", "requests", "2.30.0")
PACKAGES = {"Maven": [GRPC], "Go": [NET], "npm": [MINIMIST], "PyPI": [REQUESTS]}
SOUND = {
    "Maven": [Package("Maven", "io.grpc:grpc-netty-shaded", "1.75.0")],
    "Go": [Package("Go", "golang.org/x/net", "0.60.0")],
    "npm": [Package("npm", "minimist", "1.2.8")],
    "PyPI": [Package("PyPI", "requests", "2.34.2")],
}


def _advisory(identity: str, ecosystem: str, name: str, *branches: tuple[str, str | None]) -> dict:
    """As OSV answers, cut down to what is read."""
    ranges = [
        {
            "type": "SEMVER" if ecosystem in ("Go", "npm") else "ECOSYSTEM",
            "events": [{"introduced": introduced}, *([{"fixed": fixed}] if fixed else [])],
        }
        for introduced, fixed in branches
    ]
    commits = {"type": "GIT", "events": [{"introduced": "0"}, {"fixed": "9" * 40}]}
    affected = {"package": {"ecosystem": ecosystem, "name": name}, "ranges": [*ranges, commits]}
    return {"id": identity, "affected": [affected]}


ADVISORIES = {
    GRPC: _advisory("GHSA-prj3-ccx8-p6x4", "Maven", GRPC.name, ("0", "1.75.0")),
    NET: _advisory("GO-2023-1571", "Go", NET.name, ("0", "0.7.0")),
    MINIMIST: _advisory(
        "GHSA-xvch-5gv4-984h", "npm", MINIMIST.name, ("0", "0.2.4"), ("1.0.0", "1.2.6")
    ),
    REQUESTS: _advisory("GHSA-j8r2-6x86-q33q", "PyPI", REQUESTS.name, ("2.3.0", "2.31.0")),
}
NPM_REPORT = {
    "auditReportVersion": 2,
    "vulnerabilities": {
        "minimist": {
            "name": "minimist",
            "via": [
                {
                    "url": "https://github.com/advisories/GHSA-xvch-5gv4-984h",
                    "range": ">=1.0.0 <1.2.6",
                }
            ],
            "fixAvailable": True,
        },
        "mkdirp": {"name": "mkdirp", "via": ["minimist"], "fixAvailable": True},
    },
}
NPM_REFUSED = {
    "message": "405 Method Not Allowed - POST /-/npm/v1/security/advisories/bulk",
    "error": {},
}
GO_MESSAGES = (
    {"config": {"protocol_version": "v1.0.0", "scanner_name": "govulncheck"}},
    {"osv": {"id": "GO-2023-1571"}},
    {
        "finding": {
            "osv": "GO-2023-1571",
            "fixed_version": "v0.7.0",
            "trace": [{"module": NET.name, "version": "v0.6.0"}],
        }
    },
)


def osv(url: str, body: Any) -> Any:
    """OSV with these advisories, and nothing else."""
    if url == f"{advisories.OSV}/querybatch":
        wanted = [(each["package"]["name"], each["version"]) for each in body["queries"]]
        known = {(each.name, each.version): found["id"] for each, found in ADVISORIES.items()}
        return {
            "results": [
                {"vulns": [{"id": known[each]}]} if each in known else {} for each in wanted
            ]
        }
    for found in ADVISORIES.values():
        if url == f"{advisories.OSV}/vulns/{found['id']}":
            return found
    raise UnavailableError(url)


def nobody(*_: Any, **__: Any) -> Any:
    """Nothing can be reached."""
    raise UnavailableError("no such host")


def test_osv_names_the_release_that_fixes_this_branch():
    everything = [package for listed in PACKAGES.values() for package in listed]
    found = {each.package: (each.advisory, each.fixed) for each in by_osv(everything, osv)}
    assert found == {
        GRPC: ("GHSA-prj3-ccx8-p6x4", "1.75.0"),
        NET: ("GO-2023-1571", "0.7.0"),
        MINIMIST: ("GHSA-xvch-5gv4-984h", "1.2.6"),
        REQUESTS: ("GHSA-j8r2-6x86-q33q", "2.31.0"),
    }


def test_osv_is_queried_for_every_page():
    def paged(url: str, body: Any) -> Any:
        if url.endswith("/querybatch") and "page_token" not in body["queries"][0]:
            return {"results": [{"next_page_token": "more"}]}
        return osv(url, body)

    assert [each.advisory for each in by_osv([GRPC], paged)] == ["GHSA-prj3-ccx8-p6x4"]


@pytest.mark.parametrize(("ecosystem"), PACKAGES)
def test_one_vulnerable_version_fails_the_audit(ecosystem: str):
    report = audit(SOUND | {ecosystem: PACKAGES[ecosystem]}, osv, nobody)
    assert status(report) == 1
    (package,) = PACKAGES[ecosystem]
    (line,) = (each for each in lines(report) if each.startswith("vulnerable: "))
    for word in (package.name, package.version, ADVISORIES[package]["id"], "fixed in "):
        assert word in line


def test_sound_versions_pass():
    assert status(audit(SOUND, osv, nobody)) == 0


def test_a_vulnerability_without_a_fix_is_listed_and_does_not_fail():
    unfixed = _advisory("GHSA-0000-0000-0000", "PyPI", REQUESTS.name, ("0", "1.5"), ("2.0", None))

    def answer(url: str, body: Any) -> Any:
        return unfixed if url.endswith(ADVISORIES[REQUESTS]["id"]) else osv(url, body)

    report = audit(SOUND | {"PyPI": [REQUESTS]}, answer, nobody)
    assert status(report) == 0
    assert any("no fixed version" in line for line in lines(report))


def test_what_nobody_answers_for_is_named_and_is_no_success():
    report = audit(SOUND, nobody, nobody)
    assert status(report) == 3
    unchecked = [line for line in lines(report) if line.startswith("not checked: ")]
    assert [line.split()[2].rstrip(",") for line in unchecked] == list(SOUND)
    assert all("no such host" in line for line in unchecked)


def test_an_ecosystems_own_auditor_is_enough_for_it():
    def own(command: list[str], *_: Any, **__: Any) -> str:
        if command[0] == "npm":
            return json.dumps(NPM_REPORT)
        raise UnavailableError("no such host")

    report = audit(SOUND | {"npm": [MINIMIST]}, nobody, own)
    assert report["ecosystems"]["npm"]["checkedBy"] == ["npm audit"]
    assert not report["ecosystems"]["Go"]["checkedBy"]
    assert status(report) == 1


def test_npms_report_is_read_and_its_refusal_is_no_report():
    (found,) = by_npm([MINIMIST], lambda *_, **__: json.dumps(NPM_REPORT))
    assert (found.package, found.advisory) == (MINIMIST, "GHSA-xvch-5gv4-984h")
    assert found.fixed == "outside >=1.0.0 <1.2.6"
    with pytest.raises(UnavailableError, match="405"):
        by_npm([MINIMIST], lambda *_, **__: json.dumps(NPM_REFUSED))


def test_govulnchecks_messages_are_read():
    text = "\n".join(json.dumps(each, indent=2) for each in GO_MESSAGES) + "\n"
    assert by_govulncheck(lambda *_: text) == [advisories.Finding(NET, "GO-2023-1571", "v0.7.0")]


def test_packages_are_read_from_what_lists_them():
    lock = json.loads(advisories.LOCK.read_text())
    assert "uplot" in {each.name for each in advisories.npm_packages(lock)}
    listed = advisories.pypi_packages(advisories.REQUIREMENTS.read_text())
    assert len(listed) == advisories.REQUIREMENTS.read_text().count("==")
    bom = {
        "components": [
            {"group": "org.sluice", "name": "sluice-api", "version": "1"},
            {"group": "io.grpc", "name": "grpc-netty-shaded", "version": "1.68.1"},
        ]
    }
    assert advisories.maven_packages(bom) == [GRPC]


def test_help_names_the_exit_status():
    program = Path(advisories.__file__).with_name("audit")
    done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
    assert "3 an ecosystem could not be checked" in done.stdout
