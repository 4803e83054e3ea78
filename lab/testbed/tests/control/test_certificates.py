# SPDX-License-Identifier: Apache-2.0
"""lab/pki/make-certificates."""

import stat
import subprocess
from email.utils import parsedate_to_datetime

import pytest

from testbed.control import certificates

SCRIPT = certificates.MAKE_CERTIFICATES


def make(*words):
    return subprocess.run([SCRIPT, *map(str, words)], capture_output=True, text=True, check=False)


def openssl(*words):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


def names_of(certificate):
    text = openssl("x509", "-in", certificate, "-noout", "-ext", "subjectAltName")
    return text.split("\n")[1].strip()


def test_identities_names_and_keys(tmp_path):
    done = make("--out", tmp_path, "--server", "10.9.0.1", "onos.example", "--host", "h1", "h2")
    assert done.returncode == 0, done.stderr
    assert names_of(tmp_path / "h1.pem") == "URI:sluice-host:h1"
    assert names_of(tmp_path / "controller.pem") == "IP Address:10.9.0.1, DNS:onos.example"
    for name in ("h1", "h2", "controller"):
        openssl("verify", "-CAfile", tmp_path / "ca.pem", tmp_path / f"{name}.pem")
        key = tmp_path / f"{name}.key"
        assert key.read_text(encoding="ascii").startswith("-----BEGIN PRIVATE KEY-----")
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_switches_of_agents_that_queue_for_their_ports(tmp_path):
    first, second = "of:0000000000000001", "of:00000000000000ff"
    done = make(
        *("--out", tmp_path, "--host", "h1", "wire1", "wire2"),
        *("--switch", f"wire1={first}", f"wire1={second}", f"wire2={second}"),
    )
    assert done.returncode == 0, done.stderr
    assert names_of(tmp_path / "h1.pem") == "URI:sluice-host:h1"
    assert names_of(tmp_path / "wire1.pem").split(", ") == [
        "URI:sluice-host:wire1",
        f"URI:sluice-switch:{first}",
        f"URI:sluice-switch:{second}",
    ]
    assert f"URI:sluice-switch:{second}" in names_of(tmp_path / "wire2.pem")
    assert first not in names_of(tmp_path / "wire2.pem")


def test_hosts_are_added_to_the_same_authority(tmp_path):
    make("--out", tmp_path, "--host", "h1")
    authority = (tmp_path / "ca.pem").read_bytes()
    assert make("--out", tmp_path, "--host", "h2").returncode == 0
    assert (tmp_path / "ca.pem").read_bytes() == authority
    openssl("verify", "-CAfile", tmp_path / "ca.pem", tmp_path / "h2.pem")


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        (["--host", "h1"], 2, "--out DIR is missing"),
        (["--out", "OUT"], 2, "neither --server nor --host"),
        (["--out", "OUT", "--host", "a/b"], 2, "host id 'a/b' must be"),
        (["--out", "OUT", "--host", "ca"], 2, "choose another"),
        (["--out", "OUT", "--host", "h1", "--days", "x"], 2, "--days 'x'"),
        (["--out", "OUT", "--host", "h1", "--switch", "h1=of:1"], 2, "must be ID=DPID"),
        (
            ["--out", "OUT", "--host", "h1", "--switch", f"h2=of:{1:016x}"],
            2,
            "which no --host names",
        ),
        (["--out", "OUT", "--hots", "h1"], 2, "unknown option --hots"),
        (["--out", "OUT", "h1"], 2, "do not know what 'h1' is for"),
    ],
)
def test_wrong_use_is_refused_and_leaves_nothing(tmp_path, words, status, reason):
    out = tmp_path / "pki"
    done = make(*[out if word == "OUT" else word for word in words])
    assert (done.returncode, reason in done.stderr) == (status, True), done.stderr
    assert not out.exists()


def end_of(certificate):
    text = openssl("x509", "-in", certificate, "-noout", "-enddate")
    return parsedate_to_datetime(text.strip().partition("=")[2])


@pytest.mark.parametrize("days", [[], ["--days", "20"], ["--days", "4000"]])
def test_the_authority_outlives_what_it_signs(tmp_path, days):
    done = make("--out", tmp_path, "--server", "10.9.0.1", "--host", "h1", *days)
    assert done.returncode == 0, done.stderr
    for name in ("controller", "h1"):
        left = end_of(tmp_path / "ca.pem") - end_of(tmp_path / f"{name}.pem")
        assert left.days >= 3649, name


def test_nothing_is_signed_that_outlives_an_old_authority(tmp_path):
    make("--out", tmp_path, "--host", "h1", "--days", "20")
    done = make("--out", tmp_path, "--host", "h2", "--days", "4000")
    assert done.returncode == 1
    assert "ca.pem ends before --days 4000" in done.stderr
    assert not (tmp_path / "h2.pem").exists()


def test_one_host_is_renewed_and_no_other(tmp_path):
    switch = "of:0000000000000001"
    hosts = ("--host", "h1", "wire1", "--switch", f"wire1={switch}")
    make("--out", tmp_path, "--server", "10.9.0.1", *hosts, "--days", "20")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    done = make("--out", tmp_path, "--host", "wire1", "--renew")

    assert done.returncode == 0, done.stderr
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"wire1.pem", "wire1.key"}
    assert after.keys() == before.keys()
    assert names_of(tmp_path / "wire1.pem") == f"URI:sluice-host:wire1, URI:sluice-switch:{switch}"
    assert (end_of(tmp_path / "wire1.pem") - end_of(tmp_path / "h1.pem")).days == 805
    openssl("verify", "-CAfile", tmp_path / "ca.pem", tmp_path / "wire1.pem")


def test_renewing_takes_other_switches_that_are_given(tmp_path):
    one, other = (f"of:{number:016x}" for number in (1, 2))
    make("--out", tmp_path, "--host", "wire1", "--switch", f"wire1={one}")
    done = make("--out", tmp_path, "--host", "wire1", "--switch", f"wire1={other}", "--renew")
    assert done.returncode == 0, done.stderr
    assert names_of(tmp_path / "wire1.pem") == f"URI:sluice-host:wire1, URI:sluice-switch:{other}"


def test_a_host_without_certificate_is_not_renewed(tmp_path):
    make("--out", tmp_path, "--host", "h1")
    done = make("--out", tmp_path, "--host", "h2", "--renew")
    assert done.returncode == 1
    assert "leave out --renew" in done.stderr
    assert not (tmp_path / "h2.pem").exists()


def test_an_existing_host_is_refused(tmp_path):
    make("--out", tmp_path, "--host", "h1")
    before = (tmp_path / "h1.pem").read_bytes()
    done = make("--out", tmp_path, "--host", "h2", "h1")
    assert done.returncode == 1
    assert "h1.pem exists" in done.stderr
    assert (tmp_path / "h1.pem").read_bytes() == before
    assert not (tmp_path / "h2.pem").exists()
