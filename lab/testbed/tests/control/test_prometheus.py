# SPDX-License-Identifier: Apache-2.0
"""Prometheus collects from controllers and agents, and answers queries about it."""

import http.server
import os
import threading

import pytest

from testbed.control import prometheus
from testbed.control.prometheus import Prometheus
from testbed.system import processes
from testbed.system.errors import LabError

METRICS = "# HELP sluice_{0} Of a test.\n# TYPE sluice_{0} gauge\nsluice_{0} {1}\n"
LOGIN = "Basic dXNlcjp3b3Jk"  # user:word
TAG = f"prometheus-of-{os.getpid()}"


class Target(http.server.BaseHTTPRequestHandler):
    """A controller for who logs in, and an agent."""

    def do_GET(self):
        text = METRICS.format("of_agent", 3) if self.path == "/metrics" else None
        if self.path == "/onos/sluice/v1/metrics" and self.headers["Authorization"] == LOGIN:
            text = METRICS.format("of_controller", 2)
        self.send_response(200 if text else 401)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture(scope="module")
def target():
    prometheus.require()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Target)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def collector(target, tmp_path_factory):
    environment = {**os.environ, processes.RUN_TAG: TAG}
    directory = tmp_path_factory.mktemp("run") / "prometheus"
    made = Prometheus(directory, target, [target], environment)
    try:
        made.start("user", "word")
        yield made
    finally:
        made.stop()


def test_metrics_of_controller_and_agents_are_collected(collector):
    assert [value for _, value in collector.query("sluice_of_controller")] == [2]
    assert [value for _, value in collector.query("sluice_of_agent + 1")] == [4]
    assert collector.query("sluice_of_nobody") == []


def test_prometheus_is_tagged_with_its_run(collector):
    assert len(processes.tagged(TAG)) == 1


def test_prometheus_has_the_alert_rules(collector):
    assert {"SluiceHostDisconnected", "SluiceSpoofing"} <= {
        rule["name"] for rule in collector.rules()
    }


def test_an_invalid_query_is_refused(collector):
    with pytest.raises(LabError, match="parse error"):
        collector.query("sum by (tenant) (sluice_tenant_weight")


def test_promtool_finds_mistakes():
    assert prometheus.flaws(METRICS.format("right", 1)) == ""
    assert "counter" in prometheus.flaws("# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n")
