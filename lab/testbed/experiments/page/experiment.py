# SPDX-License-Identifier: Apache-2.0
"""`lab/run page`: the operator's page in Chromium while tenants flood a bottleneck."""

import os
import signal
import time

from testbed.control import browser
from testbed.control.controller import DEFAULT_PASSWORD, DEFAULT_USER
from testbed.control.lab_onos import LabOnos
from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.page import walk
from testbed.experiments.page.steps import Film, Steps
from testbed.network.controller_access import free_ports
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.report.expectations import Expectation, verdict
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

EXPERIMENT = "page"
BOTTLENECK_MBPS = 50
SET_UP_SECONDS, WALK_SECONDS, TEAR_DOWN_SECONDS = 75, 120, 10
# A user of ONOS's distribution with read access.
VIEWER = ("guest", "guest")
SILENT_SECONDS = 6
MOST_ANIMATION_BYTES = 2_000_000


def add_options(command):
    """Declare the options."""
    common.output(command)
    common.lab_onos(command)
    common.endpoints(command)
    command.add_argument(
        "--tour",
        action="store_true",
        help="slowly, without invisible checks, and with an animation in --out",
    )


def run(options):
    """Run the experiment; returns the exit status."""
    browser.require()
    startup.require_own_controller(options, "stops its controller for some seconds")
    progress = Progress(SET_UP_SECONDS + WALK_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    steps = Steps(options.out, progress)
    with laboratory:
        progress.log("starting ONOS")
        onos = LabOnos.within(laboratory)
        deployment = Deployment(laboratory, onos.start(), options, BOTTLENECK_MBPS)
        deployment.bring_up(free_ports(1)[0])
        controller = deployment.controller
        traffic = Traffic(deployment.network)
        laboratory.cleanup.callback(traffic.end)
        traffic.start_measuring()
        with browser.running() as chromium:
            if options.tour:
                _tour(chromium, deployment, traffic, steps)
            else:
                _examine(chromium, deployment, traffic, steps, onos)
    for failure in steps.failures:
        print(f"\n{failure}")
    document = {
        "experiment": EXPERIMENT,
        "bottleneckMbps": BOTTLENECK_MBPS,
        "controller": controller.as_json(),
        "expectations": [each.as_json() for each in steps.expectations],
        "failures": steps.failures,
        "leftovers": laboratory.leftovers,
        "verdict": verdict(steps.expectations, laboratory.leftovers, None),
    }
    return documents.conclude(document, steps.expectations, options.out, options.json)


def _open(chromium, deployment, user=(DEFAULT_USER, DEFAULT_PASSWORD), **how):
    url = deployment.controller.api.url + deployment.sluice.page_path
    return browser.Page(chromium, url, *user, **how)


def _examine(chromium, deployment, traffic, steps, onos):
    page = _open(chromium, deployment)
    walker = walk.Walk(deployment, traffic, steps, page)
    walker.idle()
    walker.flood()
    walker.culprits()
    walker.why()
    walker.names_stay_text()
    walker.names_follow()
    _check_read_only_user(chromium, deployment, steps)
    _accessibility(chromium, deployment, steps)
    walker.refused_value()
    walker.tenant_added_and_removed()
    walker.weight_changed()
    walker.deadline_refused()
    walker.deadline_met()
    walker.broken_floor()
    walker.refused_address()
    walker.host_retired()
    walker.foreign()
    _silence(page, steps, onos)
    steps.expect(_none("errors of the page", page.errors, steps))
    page.close()


def _tour(chromium, deployment, traffic, steps):
    page = _open(chromium, deployment, viewport={"width": 1200, "height": 750})
    film = Film(steps.out / "page-tour.webp")
    walker = walk.Walk(deployment, traffic, steps, page, lambda seconds: film.take(page, seconds))
    walker.idle()
    walker.flood()
    walker.culprits()
    walker.why()
    walker.weight_changed()
    walker.deadline_refused()
    walker.deadline_met()
    film.write()
    size = film.path.stat().st_size
    steps.expect(Expectation("size of the animation", size, "< 2 MB", size < MOST_ANIMATION_BYTES))
    page.close()


def _check_read_only_user(chromium, deployment, steps):
    page = _open(chromium, deployment, VIEWER)
    with steps.step("a viewer sees everything and can change nothing", page):
        page.wait_for_state("live")
        assert page.page.locator("#role").inner_text() == "viewer"
        page.show("Tenants")
        page.row("Tenants", walk.TCP_TENANT).first.wait_for()
        for change in ("Edit", "Remove", "Add a tenant"):
            assert page.page.get_by_role("button", name=change).count() == 0
        page.show("Deadlines")
        page.page.get_by_role("heading", name="Deadlines").wait_for()
        assert page.page.get_by_role("button", name="Register").count() == 0
        status = page.page.evaluate(
            """() => fetch("/onos/sluice/v1/tenants/t1", {method: "PATCH", body: '{"weight": 9}',
                headers: {"Content-Type": "application/json"}}).then((answer) => answer.status)"""
        )
        assert status == 403, status
    page.close()


def _accessibility(chromium, deployment, steps):
    views = ("Network", "Ports", "Endpoints", "Tenants", "Deadlines", "Hosts", "Journal")
    found = []
    for scheme, viewport, name in (
        ("light", browser.DESKTOP, "light, desktop"),
        ("dark", browser.DESKTOP, "dark, desktop"),
        ("light", browser.PHONE, "light, phone"),
        ("dark", browser.PHONE, "dark, phone"),
    ):
        page = _open(chromium, deployment, scheme=scheme, viewport=viewport)
        page.wait_for_state("live")
        for view in views:
            page.show(view)
            page.page.wait_for_timeout(300)
            found += [f"{name}, {view}: {each}" for each in page.violations()]
            if view == "Endpoints" and viewport is browser.PHONE:
                with steps.step(f"the limits are in sight on a phone ({scheme})", page):
                    cell = (
                        page.row("Endpoints", walk.FLOODING[0] + "/")
                        .first.get_by_role("cell")
                        .nth(3)
                    )
                    box = cell.bounding_box()
                    assert box["x"] + box["width"] <= viewport["width"], box
                if scheme == "light":
                    steps.picture(page, "phone")
            if view == "Tenants" and viewport is browser.PHONE:
                with steps.step(f"a tenant can be edited on a phone ({scheme})", page):
                    edit = page.page.get_by_role("button", name="Edit tenant").first
                    box = edit.bounding_box()
                    assert box["x"] + box["width"] <= viewport["width"], box
        page.page.goto(page.page.url.split("#")[0] + f"#network/endpoint/{walk.FLOODING[0]}/vm0")
        page.page.get_by_role("heading", name="Why").wait_for()
        page.page.wait_for_timeout(500)
        found += [f"{name}, details: {each}" for each in page.violations()]
        page.show("Deadlines")
        page.page.get_by_role("button", name="Register a deadline").click()
        found += [f"{name}, form: {each}" for each in page.violations()]
        page.close()
    steps.expect(_none("what axe finds, light and dark, desktop and phone", found, steps))


def _silence(page, steps, onos):
    """A controller that does not report for a while must not be shown as live."""
    page.show("Network")
    with steps.step("a controller that is silent is shown as such, and its return too", page):
        page.wait_for_state("live")
        os.kill(onos.pid, signal.SIGSTOP)
        try:
            page.wait_for_state("stale")
            steps.picture(page, "stale")
            assert "Not live" in page.page.locator("#state").inner_text()
        finally:
            time.sleep(SILENT_SECONDS / 3)
            os.kill(onos.pid, signal.SIGCONT)
        page.wait_for_state("live")


def _none(name, found, steps):
    """Expect that nothing was found."""
    steps.failures += [f"{name}: {each}" for each in found]
    return Expectation(name, len(found), "0", not found)


COMMAND = Command(
    EXPERIMENT,
    "the operator's page in Chromium: a flood, its culprits, why, what can be changed",
    add_options,
    run,
)
