# SPDX-License-Identifier: Apache-2.0
"""A machine without disks: a kernel, and a file system in memory whose first process is `init`."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from .packages import Kernel

HERE = Path(__file__).resolve().parent
BUSYBOX = HERE.parents[1] / ".tools" / "busybox" / "bin" / "busybox"
# Longer than the slowest test takes in emulation on a busy machine.
SILENCE_SECONDS = 900


def file_system(archive: Path, kernel: Kernel, files: Mapping[str, Path], steps: str) -> None:
    """Writes an initramfs: the kernel's modules, files by their paths there, and what init runs."""
    root = archive.with_suffix(".root")
    shutil.rmtree(root, ignore_errors=True)
    for directory in ("bin", "dev", "etc", "proc", "run", "sbin", "sys", "tmp"):
        (root / directory).mkdir(parents=True)
    shutil.copytree(kernel.directory / "lib", root / "lib")
    for name, source in {"bin/busybox": BUSYBOX, "init": HERE / "init", **files}.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    (root / "init").chmod(0o755)
    (root / "bin" / "sh").symlink_to("busybox")
    (root / "sbin" / "modprobe").symlink_to("/bin/busybox")  # where the kernel starts it
    (root / "steps").write_text(steps, encoding="utf-8")
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with archive.open("wb") as written:
        subprocess.run(
            ["cpio", "--create", "--format=newc", "--owner=0:0", "--quiet"],
            cwd=root,
            input=names.encode(),
            stdout=written,
            check=True,
        )
    shutil.rmtree(root)


def command(kernel: Kernel, archive: Path, console: Path, output: Path) -> list[str]:
    """What starts the machine."""
    return [
        "qemu-system-x86_64",
        *_processor(),
        *("-m", "2048", "-nodefaults", "-no-user-config", "-nographic", "-no-reboot"),
        *("-kernel", str(kernel.directory / "vmlinuz"), "-initrd", str(archive)),
        *("-append", "console=ttyS0 panic=-1 quiet"),
        *("-serial", f"file:{console}", "-serial", f"file:{output}"),
    ]


def _processor() -> list[str]:
    """The machine's own processor where it is one that can be shared."""
    with Path("/proc/cpuinfo").open(encoding="ascii") as lines:
        flags = next((line.split() for line in lines if line.startswith("flags")), [])
    if os.access("/dev/kvm", os.W_OK) and {"vmx", "svm"} & set(flags):
        return ["-accel", "kvm", "-cpu", "host", "-smp", "2"]
    # With a thread for each, some boots die of an int3 where the kernel changes its own code.
    return ["-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2"]


def run(machine: list[str], output: Path, progress: Callable[[str], None]) -> bool:
    """Passes on lines of its output as they come, to its end. False: ended for its silence."""
    output.write_bytes(b"")
    with (
        subprocess.Popen(machine, stdin=subprocess.DEVNULL) as emulator,
        output.open("rb") as lines,
    ):
        try:
            last, rest = time.monotonic(), b""
            while True:
                ended = emulator.poll() is not None
                rest += lines.read()
                if b"\n" in rest:
                    last = time.monotonic()
                    *whole, rest = rest.split(b"\n")
                    for line in whole:
                        progress(line.decode(errors="replace").rstrip("\r"))
                if ended:
                    return True
                if time.monotonic() - last > SILENCE_SECONDS:
                    return False
                time.sleep(0.2)
        finally:
            emulator.kill()
