# SPDX-License-Identifier: Apache-2.0
"""Debian's Prometheus, collecting the metrics of a run's controller and agents."""

import collections
import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from testbed.network.controller_access import free_ports
from testbed.system import polling, repository
from testbed.system.errors import LabError

TOOLS = repository.ROOT / ".tools" / "prometheus" / "usr" / "bin"
RULES = repository.ROOT / "docs" / "monitoring" / "alerts.yml"
# A collection may take as long at most.
EVERY = "2s"


def require():
    """LabError where it is not there."""
    if not (TOOLS / "prometheus").exists():
        raise LabError(f"{TOOLS / 'prometheus'} is missing: run lab/setup first")


def flaws(text):
    """What promtool finds wrong with metrics, as text; empty: nothing."""
    done = subprocess.run(
        [TOOLS / "promtool", "check", "metrics"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


class Prometheus:
    """One Prometheus on the loopback device, with Sluice's alert rules."""

    def __init__(self, directory, controller, agents, environment):
        """Where it keeps its data; ADDRESS:PORT of a controller's REST, and those of agents.

        environment: of its process, the run's, by which removing the run finds it.
        """
        self._directory = directory
        self._environment = environment
        self._targets = {"sluice-controller": [controller], "sluice-agents": agents}
        (port,) = free_ports(1)
        self._listen = f"127.0.0.1:{port}"
        self._process = None

    def start(self, user, password):
        """Start it, as a user of the controller; returns when it has collected from all."""
        self._directory.mkdir()
        configuration = {
            "global": {"scrape_interval": EVERY, "evaluation_interval": EVERY},
            "rule_files": [str(RULES)],
            "scrape_configs": [
                {"job_name": job, "static_configs": [{"targets": targets}]}
                for job, targets in self._targets.items()
            ],
        }
        configuration["scrape_configs"][0] |= {
            "metrics_path": "/onos/sluice/v1/metrics",
            "basic_auth": {"username": user, "password": password},
        }
        file = self._directory / "prometheus.yml"
        # JSON is YAML: no library needed to write it.
        file.write_text(json.dumps(configuration), encoding="utf-8")
        with open(self._directory / "prometheus.log", "wb") as log:
            self._process = subprocess.Popen(
                [
                    TOOLS / "prometheus",
                    f"--config.file={file}",
                    f"--storage.tsdb.path={self._directory / 'data'}",
                    f"--web.listen-address={self._listen}",
                ],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._directory,
            )
        wanted = sum(len(targets) for targets in self._targets.values())
        polling.until(
            lambda: len(self.query("up == 1")) == wanted,
            "Prometheus to collect from controller and agents",
            timeout_seconds=30,
        )

    def stop(self):
        """Stop it."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def query(self, expression):
        """The series that an expression comes to now: [(labels, value)]."""
        found = self._get("query", query=expression)["result"]
        return [(each["metric"], float(each["value"][1])) for each in found]

    def samples(self, selector, seconds):
        """What was collected of late of series of one target: [(instant by the time of day, sum)].

        LabError if there is none.
        """
        sums = collections.Counter()
        for each in self._get("query", query=f"{selector}[{seconds}s]")["result"]:
            for instant, value in each["values"]:
                sums[instant] += float(value)
        if not sums:
            raise LabError(f"{selector} was not collected in {seconds} s")
        return sorted(sums.items())

    def rules(self):
        """All alert rules as they are evaluated."""
        return [rule for group in self._get("rules")["groups"] for rule in group["rules"]]

    def _get(self, resource, **parameters):
        url = f"http://{self._listen}/api/v1/{resource}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refused:
            reason = refused.read().decode("utf-8", "replace")
            raise LabError(f"{url}: {reason}") from refused
        except OSError as unreachable:
            raise LabError(f"{url}: {unreachable}") from unreachable
