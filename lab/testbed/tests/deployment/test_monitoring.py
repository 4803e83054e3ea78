# SPDX-License-Identifier: Apache-2.0
"""Prometheus collects from controller and agents beside a flood, and the dashboard shows it."""

import base64
import collections
import itertools
import json
import math
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
from testbed.network.topology import VM_PORT
from testbed.system import polling, repository
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

# Enough for shares and losses; more would only take the processors.
BOTTLENECK_MBPS = 20
TCP_HOST, *FLOODING = "h1", "h2", "h3", "h4"
RECEIVER = "h5"
SPOOFING_PER_SECOND = 50
GUARANTEE_MBPS = 5
VIEWER = ("guest", "guest")
WINDOW_SECONDS = 12
WITHIN = 0.02
# Longer than a collection takes, which reads the figures somewhere in between.
COLLECTION_SECONDS = 2
# How old REST's numbers of a host may be: a report a second, and some time on its way.
REPORT_SECONDS = 2
DASHBOARD = repository.ROOT / "docs" / "monitoring" / "dashboard.json"
PANELS = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]


@pytest.fixture(scope="module")
def demo():
    """A flooded dumbbell with Sluice and Prometheus; leaves nothing behind."""
    prometheus.require()
    options = SimpleNamespace(
        installed=False, archive=OAR, endpoints=STATIC, onos=None, controller="onos", line=None
    )
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
            controller.api.url.removeprefix("http://"),
            targets,
            laboratory.lab_run.environment,
        )
        laboratory.cleanup.callback(collector.stop)
        collector.start(*VIEWER)
        yield SimpleNamespace(
            prometheus=collector,
            sluice=sluice,
            targets=targets,
            metrics={
                host: agent.configuration["metricsAddress"]
                for host, agent in deployment.host_agents.items()
            },
        )
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


def tenant_figures(sluice):
    """Series of tenants by their selectors, with their values as REST has them now."""
    figures = {}
    for each in sluice.tenants():
        tenant = sluice.api.get(f"{sluice.root}/tenants/{each['id']}")
        label = f'{{tenant="{each["id"]}"}}'
        promised, delivered = (
            tenant[f"{kind}BitsPerSecond"] / 8 for kind in ("promised", "delivered")
        )
        figures[f"sluice_tenant_weight{label}"] = tenant["weight"]
        figures[f"sluice_tenant_promised_bytes_per_second{label}"] = promised
        figures[f"sluice_tenant_delivered_bytes_per_second{label}"] = delivered
    return figures


def port_figures(sluice):
    """The same of ports, and of congested ones."""
    ports = sluice.ports()
    figures = {"sluice_ports": len(ports)}
    for port in ports:
        if port["congested"]:
            series = f'sluice_controlled_port_{{}}{{{{port="{port["id"]}"}}}}'
            capacity, load, share = (
                port[f"{name}BitsPerSecond"] / 8 for name in ("capacity", "load", "unitShare")
            )
            figures[series.format("capacity_bytes_per_second")] = capacity
            figures[series.format("load_bytes_per_second")] = load
            figures[series.format("unit_share_bytes_per_second")] = share
            figures[series.format("active_endpoints")] = port["activeEndpoints"]
    return figures


def host_figures(sluice):
    """The same of hosts."""
    hosts = sluice.api.get(f"{sluice.root}/hosts")["hosts"]
    return {f'sluice_host_connected{{host="{each["id"]}"}}': each["connected"] for each in hosts}


def journal_figures(sluice):
    """The same of the journal, which grows all the time."""
    newest = sluice.api.get(f"{sluice.root}/journal?limit=1")["entries"][0]
    return {"sluice_journal_entries_total": newest["sequence"] + 1}


def drop_figures(sluice):
    """Dropped packets by host, as REST has them now."""
    return {each["host"]: each["droppedPackets"] for each in sluice.endpoints()}


def drop_samples(demo, host, since):
    """The same of one host as Prometheus has them, from before an instant on."""
    kinds = '__name__=~"sluice_endpoint_(dropped|refused)_packets_total"'
    selector = f'{{{kinds},instance="{demo.metrics[host]}",endpoint="{VM_PORT}"}}'
    seconds = math.ceil(time.time() - since) + 2 * COLLECTION_SECONDS
    return demo.prometheus.samples(selector, seconds)


def _are_sampled_since(demo, instant):
    return all(drop_samples(demo, host, instant)[0][0] <= instant for host in FLOODING)


@pytest.fixture(scope="module")
def readings(demo):
    """What REST had for some seconds: {figure: [(instant before, instant after, value)]}."""
    polling.until(
        lambda: _are_sampled_since(demo, time.time() - REPORT_SECONDS),
        "samples from before the first reading",
        timeout_seconds=20,
        interval_seconds=0.5,
    )
    found = collections.defaultdict(list)
    until = time.monotonic() + WINDOW_SECONDS
    while time.monotonic() < until:
        for figures in (
            *(tenant_figures, port_figures, host_figures, journal_figures),
            drop_figures,
        ):
            before = time.time()
            values = figures(demo.sluice)
            after = time.time()
            for name, value in values.items():
                found[name].append((before, after, value))
    return found


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
    texts = [_text(f"{demo.sluice.api.url}{demo.sluice.root}/metrics", VIEWER)]
    texts += [_text(f"http://{target}/metrics") for target in demo.targets]
    for text in texts:
        assert text.count("# TYPE sluice_") > 5
        assert prometheus.flaws(text) == ""


def disagreements(samples, readings, allowed=WITHIN):
    """Samples that lie beyond every reading around them by more than a part that is allowed.

    samples: [(instant, value)]; readings: [(instant before, instant after, value)] in their order.
    A sample was taken between the last reading that had ended before it and the first one that
    began when it was over; it is compared with these and what was read between them. Samples
    without a reading on either side are left out. Returns (those that disagree, how many agree).
    """
    wrong, agreed = [], 0
    for instant, value in samples:
        earlier = [i for i, (_, after, _) in enumerate(readings) if after <= instant]
        over = instant + COLLECTION_SECONDS
        later = [i for i, (before, _, _) in enumerate(readings) if before >= over]
        if earlier and later:
            around = [value for _, _, value in readings[earlier[-1] : later[0] + 1]]
            if min(around) * (1 - allowed) <= value <= max(around) * (1 + allowed):
                agreed += 1
            else:
                wrong.append((instant, value, around))
    return wrong, agreed


def test_a_sample_is_compared_with_what_was_read_around_it():
    read = [(0, 1, 100), (1, 2, 100), (5, 6, 200), (9, 10, 200)]
    assert disagreements([(2.5, 101), (2.9, 199), (6.5, 203)], read) == ([], 3)
    assert disagreements([(6.5, 150), (6.6, 200)], read) == ([(6.5, 150, [200, 200])], 1)
    assert disagreements([(0.5, 1), (9.5, 1)], read) == ([], 0)


@pytest.mark.root
def test_the_controllers_metrics_equal_rests_figures(demo, readings):
    wrong, compared = {}, set()
    for selector, read in readings.items():
        if selector.startswith("sluice_"):
            samples = demo.prometheus.samples(selector, WINDOW_SECONDS)
            found, agreed = disagreements(samples, read)
            if found:
                wrong[selector] = found
            if agreed:
                compared.add(selector.partition("{")[0])
    assert wrong == {}
    assert compared == {selector.partition("{")[0] for selector in readings if "_" in selector}


def growth(samples, begin, end):
    """How far a counter came between two instants, with straight lines between its samples."""
    first, last = (_at(samples, instant) for instant in (begin, end))
    return last - first


def _at(samples, wanted):
    for (begin, first), (end, last) in itertools.pairwise(samples):
        if begin <= wanted <= end:
            return first + (last - first) * (wanted - begin) / (end - begin)
    raise ValueError(f"{wanted} is not within {samples[0][0]} to {samples[-1][0]}")


def test_growth_is_that_between_two_instants():
    samples = [(0, 0), (10, 100), (20, 300)]
    assert growth(samples, 5, 15) == 150
    assert growth(samples, 0, 20) == 300
    for outside in ((-5, 15), (5, 25)):
        with pytest.raises(ValueError, match="is not within 0 to 20"):
            growth(samples, *outside)


@pytest.mark.root
@pytest.mark.parametrize("host", FLOODING)
def test_an_agents_counters_grow_as_rest_reports(demo, readings, host):
    """REST's number is one of the instants between the last report's and the response's."""
    (begin, began, first), (end, ended, last) = readings[host][0], readings[host][-1]
    earliest = begin - REPORT_SECONDS
    polling.until(
        lambda: drop_samples(demo, host, earliest)[-1][0] >= ended,
        "samples up to the last reading",
        timeout_seconds=20,
        interval_seconds=0.5,
    )
    samples = drop_samples(demo, host, earliest)
    least, most = (
        growth(samples, *instants)
        for instants in ((began, end - REPORT_SECONDS), (earliest, ended))
    )
    assert least > 100
    assert least * (1 - WITHIN) <= last - first <= most * (1 + WITHIN)


@pytest.mark.root
@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_shows_data(demo, panel):
    for target in panel["targets"]:
        expression = target["expr"].replace("$__rate_interval", "10s")
        for variable in ("$tenant", "$host", "$port"):
            expression = expression.replace(variable, ".*")
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
