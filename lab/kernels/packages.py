# SPDX-License-Identifier: Apache-2.0
"""Kernels from Debian's packages: fetched by apt with lists of its own, unpacked, not installed."""

import lzma
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# The suites that have the kernels, by the label of the archive.
SUITES = (
    ("Debian-Security", "bookworm-security"),
    ("Debian", "bookworm-backports"),
    ("Debian", "trixie-backports"),
)
ARCHITECTURE = "amd64"

# What a machine without disks and cards needs of a package, by its path there.
_IMAGE = re.compile(r"\./(?:boot/vmlinuz-[^/]+|usr/lib/modules/[^/]+/vmlinuz)")
_MODULES = re.compile(
    r"\./(?:usr/)?(lib/modules/[^/]+/"
    r"(?:modules\.[^/]+"
    r"|kernel/(?:arch|crypto|lib|net|drivers/virtio)/.+\.ko"
    r"|kernel/drivers/net/(?!ethernet/|wireless/).+\.ko))(?:\.xz)?"
)


class PackagesError(Exception):
    """No kernel could be had; the message names the remedy."""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel: `vmlinuz`, and its modules below `lib`."""

    release: str
    directory: Path


def newest(series: str, packages: list[str]) -> str | None:
    """The newest release of a series among names of packages; not for clouds, nor for real time."""
    pattern = re.compile(
        rf"linux-image-({re.escape(series)}\.[0-9.]+(?:[-+][0-9a-z.]+)?-{ARCHITECTURE})"
    )
    found = [match[1] for match in map(pattern.fullmatch, packages) if match]
    return max(found, key=_numbers, default=None)


def _numbers(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release.removesuffix(f"-{ARCHITECTURE}"))]


def destination(member: str) -> str | None:
    """Where a file of a package goes in an unpacked kernel, None for what is left out."""
    if _IMAGE.fullmatch(member):
        return "vmlinuz"
    match = _MODULES.fullmatch(member)
    return match[1] if match else None


def sources_of(targets: str) -> str:
    """apt's lines for the suites, at a machine's mirrors. targets: label and address of each."""
    mirrors = dict(line.split("|", 1) for line in targets.splitlines())
    return "".join(
        f"deb [signed-by={KEYRING}] {mirrors[label]} {suite} main\n"
        for label, suite in SUITES
        if label in mirrors
    )


def machine_sources() -> str:
    """The same at this machine's own mirrors."""
    command = ["apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)"]
    return sources_of(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


class Packages:
    """Debian's archive, with what was fetched of it below a directory."""

    def __init__(self, directory: Path, sources: str):
        self._directory = directory
        lists = directory / "apt"
        (lists / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (lists / "status").touch()
        (lists / "sources.list").write_text(sources, encoding="utf-8")
        settings = {
            "Dir::Etc::SourceList": lists / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State": lists,
            "Dir::State::Lists": lists / "lists",
            "Dir::State::status": lists / "status",
            "Dir::Cache": lists,
            "APT::Architecture": ARCHITECTURE,
            "APT::Sandbox::User": "",
        }
        self._options = [
            option for item in settings.items() for option in ("-o", f"{item[0]}={item[1]}")
        ]
        self._names: list[str] | None = None

    def kernel(self, series: str) -> Kernel:
        """The newest kernel of a series; where no archive answers, one that was fetched before."""
        try:
            release = newest(series, self._available())
        except PackagesError:
            had = [
                f"linux-image-{place.parent.name}" for place in self._directory.glob("*/vmlinuz")
            ]
            release = newest(series, had)
            if release is None:
                raise
        if release is None:
            raise PackagesError(
                f"no archive has Linux {series}: give --sources a file with apt's lines of one "
                "that does, as of snapshot.debian.org, or change lab/kernels/command.py"
            )
        place = self._directory / release
        if not (place / "vmlinuz").exists():
            self._fetch(release, place)
        return Kernel(release, place)

    def _available(self) -> list[str]:
        if self._names is None:
            self._run("apt-get", "update", "-qq", "--error-on=any")
            self._names = self._run("apt-cache", "pkgnames", "linux-").split()
        return self._names

    def _fetch(self, release: str, place: Path) -> None:
        """Complete, or not at all."""
        new = place.with_name(f"{release}.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        # Newer packages consist of parts.
        parts = [f"linux-{part}-{release}" for part in ("base", "image", "binary", "modules")]
        self._run(
            "apt-get", "download", "-qq", *(p for p in parts if p in self._available()), cwd=new
        )
        for package in new.glob("*.deb"):
            _unpack(package, new)
            package.unlink()
        subprocess.run(["/sbin/depmod", "-b", new, release], check=True)
        new.rename(place)

    def _run(self, program: str, *arguments: str, cwd: Path | None = None) -> str:
        command = [program, *self._options, *arguments]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise PackagesError(f"{program} {arguments[0]}: {done.stderr.strip()}")
        return done.stdout


def _unpack(package: Path, place: Path) -> None:
    command = ["dpkg-deb", "--fsys-tarfile", package]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as archive,
        tarfile.open(fileobj=archive.stdout, mode="r|") as members,
    ):
        for member in members:
            name = destination(member.name)
            content = members.extractfile(member) if name else None
            if content is None:
                continue
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as written:
                shutil.copyfileobj(_expanded(content, member.name), written)


def _expanded(content: IO[bytes], name: str) -> IO[bytes]:
    """busybox loads no compressed modules."""
    return lzma.LZMAFile(content) if name.endswith(".xz") else content
