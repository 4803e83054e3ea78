# SPDX-License-Identifier: Apache-2.0
"""Prometheus collects from controller and agents beside a flood, and the dashboard shows it."""

import base64
import json
import time
import urllib.request
from types import SimpleNamespace

import pytest

from testbed.control import prometheus
from testbed.control.agents import STATIC
from testbed.control.controller import OAR
from testbed.control.prometheus import Prometheus
from testbed.control.tenancy import tenant_of, tenant_with
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.system import polling, repository
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

BOTTLENECK_MBPS = 50
TCP_HOST, *FLOODING = "h1", "h2", "h3", "h4"
RECEIVER = "h5"
SPOOFING_PER_SECOND = 50
GUARANTEE_MBPS = 5
VIEWER = ("guest", "guest")
DASHBOARD = repository.ROOT / "docs" / "monitoring" / "dashboard.json"
PANELS = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]


@pytest.fixture(scope="module")
def demo():
    """A flooded dumbbell with Sluice and Prometheus; leaves nothing behind."""
    prometheus.require()
    options = SimpleNamespace(installed=False, oar=OAR, endpoints=STATIC, onos=None)
    startup.require_own_controller(options, "is collected from")
    laboratory = Laboratory("monitoring", Progress(120))
    with laboratory:
        deployment, controller = startup.deploy(laboratory, options, None, BOTTLENECK_MBPS)
        sluice = deployment.sluice
        guaranteed = tenant_with([TCP_HOST], guarantee=GUARANTEE_MBPS)
        sluice.put_tenant(tenant_of(TCP_HOST), guaranteed)
        _flood(laboratory, deployment)
        targets = deployment.metrics_targets
        collector = Prometheus(
            laboratory.lab_run.directory / "prometheus",
            controller.onos.url.removeprefix("http://"),
            targets,
        )
        laboratory.cleanup.callback(collector.stop)
        collector.start(*VIEWER)
        yield SimpleNamespace(prometheus=collector, sluice=sluice, targets=targets)
    assert laboratory.leftovers == []


def _flood(laboratory, deployment):
    """Three floods beside a TCP connection, one of them with frames that it must not send."""
    traffic = Traffic(deployment.network)
    laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    begin, end = time.monotonic_ns(), traffic.horizon_nanos
    for host in FLOODING:
        traffic.flood(host, BOTTLENECK_MBPS, start_nanos=begin)
    traffic.tcp(TCP_HOST, FRESH_TCP_PORTS[0], "cubic", start_nanos=begin, stop_nanos=end)
    traffic.attack(
        *(FLOODING[0], "spoofed-mac", SPOOFING_PER_SECOND),
        receiver=RECEIVER,
        victim=TCP_HOST,
        seed=1,
        start_nanos=begin,
        stop_nanos=end,
    )
    polling.until(
        lambda: any(port["congested"] for port in deployment.sluice.ports()),
        "the bottleneck to be under control",
        timeout_seconds=20,
    )


def _text(url, user=None):
    request = urllib.request.Request(url)
    if user:
        request.add_header(
            "Authorization", "Basic " + base64.b64encode(":".join(user).encode()).decode()
        )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


@pytest.mark.root
def test_promtool_finds_nothing_wrong_with_the_metrics(demo):
    texts = [_text(f"{demo.sluice.onos.url}{demo.sluice.ROOT}/metrics", VIEWER)]
    texts += [_text(f"http://{target}/metrics") for target in demo.targets]
    for text in texts:
        assert text.count("# TYPE sluice_") > 5
        assert prometheus.flaws(text) == ""


@pytest.mark.root
@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_shows_data(demo, panel):
    for target in panel["targets"]:
        expression = target["expr"].replace("$__rate_interval", "10s")
        polling.until(
            lambda e=expression: demo.prometheus.query(e),
            f"data for {expression}",
            timeout_seconds=20,
            interval_seconds=0.5,
        )


@pytest.mark.root
def test_the_alert_rules_are_evaluated(demo):
    def all_evaluated():
        rules = demo.prometheus.rules()
        return rules and all(rule["health"] == "ok" for rule in rules)

    polling.until(all_evaluated, "all rules to be evaluated", timeout_seconds=20)
