# SPDX-License-Identifier: Apache-2.0
"""Which kernel is taken, and what counts as expected; nothing is fetched, and nothing booted."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kernels import emulation, packages, results

REFUSAL = f"shim-programs: the kernel refuses the shim's programs: {results.REMEDY}"


def test_the_newest_of_a_series_is_taken_and_no_flavour():
    names = [
        "linux-image-6.1.0-9-amd64",
        "linux-image-6.1.0-56-amd64",
        "linux-image-6.1.0-57-amd64-unsigned",
        "linux-image-6.1.0-57-amd64-dbg",
        "linux-image-6.12.90+deb12-amd64",
        "linux-image-6.12.90+deb12.1-amd64",
        "linux-image-6.12.9+deb12-amd64",
        "linux-image-6.12.117+deb12-cloud-amd64",
        "linux-image-6.12.117+deb12-rt-amd64",
        "linux-modules-7.3.4+deb13-amd64",
    ]
    assert packages.newest("6.1", names) == "6.1.0-56-amd64"
    assert packages.newest("6.12", names) == "6.12.90+deb12.1-amd64"
    assert packages.newest("7.3", names) is None


def test_kernels_come_from_the_mirrors_that_the_machine_has():
    targets = "Debian|http://a.example/debian/\nDebian|http://a.example/debian/\nOther|http://b/\n"
    signed = f"deb [signed-by={packages.KEYRING}] http://a.example/debian/"
    assert packages.sources_of(targets) == (
        f"{signed} bookworm-backports main\n{signed} trixie-backports main\n"
    )


@pytest.mark.parametrize(
    ("member", "place"),
    [
        ("./boot/vmlinuz-6.1.0-56-amd64", "vmlinuz"),
        ("./usr/lib/modules/7.3.4+deb13-amd64/vmlinuz", "vmlinuz"),
        ("./lib/modules/6.1/modules.builtin", "lib/modules/6.1/modules.builtin"),
        ("./usr/lib/modules/6.18/kernel/net/a/b.ko.xz", "lib/modules/6.18/kernel/net/a/b.ko"),
        (
            "./lib/modules/6.1/kernel/drivers/net/tun.ko",
            "lib/modules/6.1/kernel/drivers/net/tun.ko",
        ),
        ("./lib/modules/6.1/kernel/drivers/net/ethernet/intel/e1000.ko", None),
        ("./boot/System.map-6.1.0-56-amd64", None),
    ],
)
def test_of_a_package_stays_what_a_machine_without_cards_needs(member, place):
    assert packages.destination(member) == place


def test_without_the_archive_a_kernel_that_was_fetched_is_taken(tmp_path, monkeypatch):
    archive = packages.Packages(tmp_path, "")

    def unreachable(*_):
        raise packages.PackagesError("apt-get update: no answer")

    monkeypatch.setattr(archive, "_run", unreachable)
    with pytest.raises(packages.PackagesError, match="no answer"):
        archive.kernel("6.12")
    fetched = tmp_path / "6.12.117+deb12-amd64"
    fetched.mkdir()
    (fetched / "vmlinuz").touch()
    assert archive.kernel("6.12").directory == fetched


def test_a_series_that_has_left_the_archive_is_named_with_the_remedy(tmp_path, monkeypatch):
    archive = packages.Packages(tmp_path, "")
    monkeypatch.setattr(archive, "_run", lambda *_: "linux-image-6.1.0-56-amd64")
    with pytest.raises(packages.PackagesError, match=r"Linux 6\.18: give --sources"):
        archive.kernel("6.18")


def step(name, status, *lines):
    end = [] if status is None else ["", f"@end {name} {status}"]
    return ["", f"@begin {name}", *lines, *end]


def probe(status, missing=(), needed_by="host", remedy=results.REMEDY):
    features = [
        {"name": name, "present": False, "neededBy": needed_by, "remedy": remedy}
        for name in missing
    ]
    features.append({"name": "htb", "present": True, "neededBy": "host,port"})
    text = json.dumps({"features": features, "hooks": []}, indent=2)
    error = ["sluice-agent: this host lacks what the agent needs:"] if status else []
    return step("probe", status, *text.splitlines(), *error)


AGENT = step("agent", 0, "host h1")
SHIM = step("shim", 0, "--- PASS: TestA (0.10s)", "    --- PASS: TestA/b (0.00s)", "PASS")


def faults(lines, expected, too_old=False):
    return "; ".join(results.faults(results.steps(lines), expected, too_old))


def test_a_kernel_that_has_all_is_as_expected():
    lines = probe(0) + AGENT + SHIM
    assert not faults(lines, ["probe", "agent", "shim"])
    row = results.row("6.12", results.steps(lines), [])
    assert results.table([row]).endswith("tests passed: shim 1")


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (probe(0) + AGENT, "shim: did not run"),
        (probe(0) + AGENT + step("shim", None, "--- PASS: TestA (0.10s)"), "shim: did not end"),
        (probe(1, ["tcx"]) + AGENT + SHIM, "probe: this kernel lacks tcx"),
        (step("probe", 0, "Killed") + AGENT + SHIM, "probe: lists no features"),
        (probe(0) + step("agent", 1, "no program at vm0") + SHIM, "no program at vm0"),
        (
            probe(0) + AGENT + step("shim", 1, "--- FAIL: TestA (0.1s)", "FAIL"),
            "shim: TestA failed",
        ),
        (probe(0) + AGENT + step("shim", 2, "panic: timed out"), "exit status 2: panic: timed out"),
        (probe(0) + AGENT + step("shim", 0, "PASS"), "shim: no test ran"),
    ],
)
def test_what_is_not_as_expected_is_named(lines, fault):
    assert fault in faults(lines, ["probe", "agent", "shim"])


TOO_OLD = ["tcx", "shim-programs"]
REFUSED = step("agent", 1, REFUSAL)


def test_a_kernel_that_is_too_old_is_refused_with_the_remedy():
    lines = probe(1, TOO_OLD) + REFUSED
    assert not faults(lines, ["probe", "agent"], too_old=True)
    assert results.REMEDY in results.table([results.row("6.1", results.steps(lines), [])])


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (probe(0) + REFUSED, "probe: has to fail"),
        (probe(1, TOO_OLD) + AGENT, "agent: has to fail"),
        (probe(1, [*TOO_OLD, "privileges"]) + REFUSED, "privileges"),
        (probe(1, ["tcx"]) + REFUSED, "lacks ['tcx']"),
        (probe(1, TOO_OLD, remedy="") + REFUSED, "the remedy of tcx is ''"),
        (step("probe", 1, "sluice-agent: invalid argument") + REFUSED, "lacks []"),
        (probe(1, TOO_OLD) + step("agent", 1, "Killed"), "agent: names no remedy"),
    ],
)
def test_a_kernel_that_is_too_old_has_to_fail_for_that_reason(lines, fault):
    assert fault in faults(lines, ["probe", "agent"], too_old=True)


def test_output_is_followed_to_the_end(tmp_path):
    output = tmp_path / "output"
    machine = [sys.executable, "-c", f"open({str(output)!r}, 'w').write('first\\r\\nlast\\n')"]
    lines = []
    assert emulation.run(machine, output, lines.append)
    assert lines == ["first", "last"]


def test_a_silent_machine_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(emulation, "SILENCE_SECONDS", 0)
    machine = [sys.executable, "-c", "import signal; signal.pause()"]
    assert not emulation.run(machine, tmp_path / "output", print)


def test_a_machine_ends_with_the_program_that_was_terminated(tmp_path):
    output = tmp_path / "output"
    code = (
        "from pathlib import Path; from kernels import command, emulation;"
        "command.end_as_interrupted();"
        f"emulation.run(['sh', '-c', 'echo $$ > {output}; exec sleep 3600'],"
        f" Path({str(tmp_path / 'other')!r}), print)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).resolve().parents[2]
    ) as program:
        deadline = time.monotonic() + 30
        while not (output.exists() and output.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        program.send_signal(signal.SIGTERM)
        assert program.wait(30) == 128 + signal.SIGTERM
    assert not Path(f"/proc/{output.read_text().strip()}").exists()
