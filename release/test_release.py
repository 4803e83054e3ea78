# SPDX-License-Identifier: Apache-2.0
"""A release, built twice in different surroundings: the same bytes, and no fault goes unseen.

One build is in a new tree. The other takes the application from this work tree, if the work tree
is the last commit: what `make check` has compiled and tested there, with Error Prone, at another
time. So one compilation is enough to compare, and the release is what the tests ran on. Where
something is not committed, the second build has a new tree as well.
"""

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from contents import ContentsError, jars, npm_packages, sha256
from verification import SUMS, verify

BUILD = Path(__file__).with_name("build")
# Each changes what careless tools write into their output.
SURROUNDINGS = (
    {"TZ": "UTC", "LC_ALL": "C.UTF-8", "umask": 0o022},
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "umask": 0o077},
)


def build(directory: Path, surroundings: dict, *options: str) -> Path:
    """Builds a release; the place of its temporary tree differs from build to build."""
    temporary = directory / "tmp"
    temporary.mkdir(parents=True)
    environment = os.environ | {
        "TMPDIR": str(temporary),
        "TZ": surroundings["TZ"],
        "LC_ALL": surroundings["LC_ALL"],
    }
    subprocess.run(
        [BUILD, *options, directory / "release"],
        check=True,
        env=environment,
        umask=surroundings["umask"],
        stdout=subprocess.DEVNULL,
    )
    return directory / "release"


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> list[Path]:
    """Two builds of one commit."""
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=BUILD.parent, check=True, capture_output=True
    ).stdout
    options = [] if status else ["--here"]
    directories = [tmp_path_factory.mktemp("release") for _ in SURROUNDINGS]
    with ThreadPoolExecutor() as builders:
        first = builders.submit(build, directories[0], SURROUNDINGS[0], *options)
        second = builders.submit(build, directories[1], SURROUNDINGS[1])
        return [first.result(), second.result()]


@pytest.fixture
def altered(releases, tmp_path) -> Path:
    """A copy of a release for a test to spoil."""
    return Path(shutil.copytree(releases[0], tmp_path / "altered"))


def sign_again(directory: Path) -> None:
    """Makes the sums fit what is there, as who swaps a file would."""
    lines = [
        f"{sha256(path.read_bytes())}  {path.name}\n"
        for path in sorted(directory.iterdir())
        if path.name != SUMS
    ]
    (directory / SUMS).write_text("".join(lines))


def document_of(directory: Path, pattern: str) -> tuple[Path, dict]:
    """The one CycloneDX document of that name."""
    (path,) = directory.glob(pattern + ".cdx.json")
    return path, json.loads(path.read_text())


def test_the_same_commit_gives_the_same_bytes(releases):
    first, second = ((release / SUMS).read_text() for release in releases)

    assert first == second
    assert first.count("\n") == 15


def test_a_release_verifies(releases):
    assert len(verify(releases[0])) == 6


@pytest.mark.parametrize(
    ("pattern", "further"),
    [("sluice-*.oar", "sluice-onos"), ("sluice-odl-*.kar", "jackson-databind")],
)
def test_jars_in_the_archives_are_listed(releases, pattern, further):
    archives = sorted(releases[0].glob(pattern))
    assert archives
    for archive in archives:
        _, document = document_of(releases[0], archive.name)
        embedded = [path for path in jars(archive.read_bytes()) if "!" in path]
        assert len(embedded) > 10
        named = {component["name"] for component in document["components"]}
        assert named >= {"grpc-netty-shaded", "protobuf-java", "guava", "sluice-api", further}


def test_jars_unpacked_into_sluiced_are_listed(releases):
    _, document = document_of(releases[0], "sluiced-*.jar")

    named = {component["name"] for component in document["components"]}
    assert named >= {"jetcd-core", "h2-mvstore", "jetty-server", "sluice-standalone", "guava"}
    assert not named & {"junit-jupiter", "sluice-onos"}


@pytest.mark.parametrize(
    ("pattern", "modules"),
    [
        ("sluice-agent-*", {"std", "github.com/cilium/ebpf", "google.golang.org/grpc"}),
        ("sluicectl-*", {"std", "github.com/spf13/cobra", "go.yaml.in/yaml/v4"}),
    ],
)
def test_modules_linked_by_programs_are_listed(releases, pattern, modules):
    _, document = document_of(releases[0], pattern)

    named = {component["name"] for component in document["components"]}
    assert modules <= named
    assert "github.com/getkin/kin-openapi" not in named  # of tests alone


def test_a_changed_byte_is_found(altered):
    (archive,) = altered.glob("*.oar")
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 1
    archive.write_bytes(content)

    with pytest.raises(ContentsError, match="has the sum of"):
        verify(altered)


def test_an_added_file_is_found(altered):
    (altered / "extra").write_text("")

    with pytest.raises(ContentsError, match="extra"):
        verify(altered)


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("sluice-*.oar", "maven"),
        ("sluice-*.oar", "npm"),
        ("sluice-odl-0.20-*.kar", "maven"),
        ("sluice-agent-*", "golang"),
        ("sluicectl-*", "golang"),
    ],
)
def test_a_library_left_out_of_its_document_is_found(altered, pattern, kind):
    path, document = document_of(altered, pattern)
    components = document["components"]
    left_out = next(each for each in components if each["purl"].startswith(f"pkg:{kind}/"))
    components.remove(left_out)
    path.write_text(json.dumps(document))
    sign_again(altered)

    with pytest.raises(ContentsError, match=left_out["name"]):
        verify(altered)


def test_a_library_of_sluiced_left_out_of_its_document_is_found(altered):
    path, document = document_of(altered, "sluiced-*.jar")
    document["components"] = [
        each for each in document["components"] if each["name"] != "jetty-server"
    ]
    path.write_text(json.dumps(document))
    sign_again(altered)

    with pytest.raises(ContentsError, match="org/eclipse/jetty/server"):
        verify(altered)


def test_a_wrong_version_in_a_document_is_found(altered):
    path, document = document_of(altered, "sluice-agent-*")
    document["components"][-1]["version"] = "v0.0.0"
    path.write_text(json.dumps(document))
    sign_again(altered)

    with pytest.raises(ContentsError, match=r"v0\.0\.0"):
        verify(altered)


@pytest.mark.parametrize("program", ["sluice-agent", "sluicectl", "sluiced"])
def test_another_program_in_the_package_is_found(altered, program):
    (binary,) = (path for path in altered.glob(f"{program}-*") if path.suffix != ".json")
    binary.write_bytes(binary.read_bytes() + b"\0")
    sign_again(altered)

    with pytest.raises(ContentsError, match="another program"):
        verify(altered)


def test_only_the_tools_of_the_pages_build_are_left_out():
    lock = {
        "packages": {
            "": {"name": "page"},
            "node_modules/vite": {"version": "6.0.0", "dev": True},
            "node_modules/@scope/shown": {"version": "1.2.3"},
        }
    }

    assert npm_packages(lock) == [("@scope/shown", "1.2.3")]
