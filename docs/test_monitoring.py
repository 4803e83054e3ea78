# SPDX-License-Identifier: Apache-2.0
"""Prometheus takes the alert rules, and each fires when it shall and not otherwise.

Grafana's schema has every field of the dashboard, and the dashboard all that it needs.
"""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

TOP = Path(__file__).resolve().parent.parent
PROMTOOL = TOP / ".tools" / "prometheus" / "usr" / "bin" / "promtool"
RULES = TOP / "docs" / "monitoring" / "alerts.yml"
CASES = TOP / "docs" / "monitoring" / "alerts-test.yml"
DASHBOARD = TOP / "docs" / "monitoring" / "dashboard.json"
SCHEMA = TOP / "docs" / "monitoring" / "schema"


def alerts(rules):
    return [rule for group in rules["groups"] for rule in group["rules"]]


ALERTS = [rule["alert"] for rule in alerts(yaml.safe_load(RULES.read_text()))]


def promtool(*arguments):
    if not PROMTOOL.exists():
        pytest.fail(f"{PROMTOOL} is missing: run lab/setup first")
    return subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, check=False)


def test_prometheus_accepts_the_rules():
    done = promtool("check", "rules", RULES)
    assert done.returncode == 0, done.stderr


def test_each_alert_fires_under_its_condition():
    done = promtool("test", "rules", CASES)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("alert", ALERTS)
def test_each_alert_has_a_firing_and_a_silent_case(alert):
    cases = [
        bool(case.get("exp_alerts"))
        for test in yaml.safe_load(CASES.read_text())["tests"]
        for case in test["alert_rule_test"]
        if case["alertname"] == alert
    ]
    assert set(cases) == {True, False}


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_that_never_fires_is_found(alert, tmp_path):
    rules = yaml.safe_load(RULES.read_text())
    (changed,) = (rule for rule in alerts(rules) if rule["alert"] == alert)
    changed["expr"] = "vector(1) > 1"
    (tmp_path / RULES.name).write_text(yaml.safe_dump(rules))
    (tmp_path / CASES.name).write_text(CASES.read_text())
    done = promtool("test", "rules", tmp_path / CASES.name)
    assert done.returncode != 0
    assert alert in done.stdout + done.stderr


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The program that reads a dashboard by Grafana's schema."""
    program = tmp_path_factory.mktemp("schema") / "schema"
    build = ["go", "build", "-o", program, "."]
    done = subprocess.run(build, cwd=SCHEMA, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return lambda path: subprocess.run([program, path], capture_output=True, text=True, check=False)


def test_the_dashboard_matches_grafanas_schema(schema):
    done = schema(DASHBOARD)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda panel: panel.update(colour="red"), "colour"),
        (lambda panel: panel.pop("type"), "type"),
        (lambda panel: panel["gridPos"].update(w="wide"), "gridPos"),
        (lambda panel: panel["targets"][0].update(expr=1), "expr"),
        (lambda panel: panel["options"].update(colorMode=True), "colorMode"),
    ],
)
def test_a_dashboard_with_a_mistake_is_refused(schema, tmp_path, change, named):
    dashboard = json.loads(DASHBOARD.read_text())
    change(dashboard["panels"][0])
    path = tmp_path / DASHBOARD.name
    path.write_text(json.dumps(dashboard))
    done = schema(path)
    assert done.returncode == 1
    assert named in done.stderr


def dashboard_targets():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel, target) for panel in panels for target in panel["targets"]]


def test_the_dashboard_shows_rates_in_bits_and_names_what_it_shows():
    for panel, target in dashboard_targets():
        title = panel["title"]
        assert panel["fieldConfig"]["defaults"].get("unit") != "Bps", title
        assert "{{instance}}" not in target["legendFormat"], title
        assert target["legendFormat"].count("{{port}}") <= target["legendFormat"].count("{{name}}")


def test_prometheus_can_read_the_dashboards_expressions(tmp_path):
    rules = [
        {
            "record": f"panel:{number}",
            "expr": target["expr"].replace("$__rate_interval", "10s"),
        }
        for number, (_, target) in enumerate(dashboard_targets())
    ]
    path = tmp_path / "panels.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    done = promtool("check", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("variable", ["tenant", "host", "port"])
def test_the_dashboard_can_be_narrowed(variable):
    listed = json.loads(DASHBOARD.read_text())["templating"]["list"]
    assert variable in [each["name"] for each in listed]
    assert any(f"${variable}" in target["expr"] for _, target in dashboard_targets())
