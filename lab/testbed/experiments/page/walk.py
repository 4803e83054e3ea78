# SPDX-License-Identifier: Apache-2.0
"""A walk through the page beside real traffic: a flood, its culprits, why, what can be done."""

import re
import time

from testbed.control import foreign_page
from testbed.measure.crossings import crossed_at, parts_over_time
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.report.expectations import below
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS, TRANSFER_PORTS

TCP_HOST, FLOODING = "h1", ("h2", "h3", "h4")
TCP_TENANT = "t1"
TCP_ENDPOINT = f"{TCP_HOST}/vm0"
PORT = "of:0000000000000001/5"
NAMED_PORT = re.compile(r"s1:\S+ -> s2")
HELD = re.compile(" is held to .* by its part of port ")
BOTTLENECK_MBPS = 50
NEW_WEIGHT = 4
PART_BEFORE, PART_AFTER = 1 / 4, NEW_WEIGHT / (NEW_WEIGHT + 3)
WITHIN_SECONDS = 1.0
WINDOW_NANOS, STEP_NANOS, STAY_NANOS = 200_000_000, 50_000_000, 200_000_000
BEFORE_NANOS = 500_000_000
OBSERVED_SECONDS = 3
ADDED_TENANT, ADDED_MEMBER = "guests", "10.99.0.0/16"
SIZE_BYTES, DUE_MILLIS, TOO_SOON_MILLIS = 4_000_000, 20_000, 100
TAKEN_FROM, TAKING_TENANT = FLOODING[0], "taker"
GUARANTEED = (TCP_TENANT, "t2")
GUARANTEE_MBPS = 30
RETIRED_HOST = "h4"
HOSTILE_NAME = "<img src=x onerror=document.body.dataset.hit=1>s2"


class Walk:
    """Walks on one page; watch(seconds) is called where there is something to see."""

    def __init__(self, deployment, traffic, steps, page, watch=lambda seconds: None):
        self.deployment = deployment
        self.sluice = deployment.sluice
        self.traffic = traffic
        self.steps = steps
        self.page = page
        self.watch = watch

    def name_switch(self, switch, name):
        """Name a switch in the controller, as an operator does."""
        device = self.deployment.network.switches[switch].device_id
        path = f"/onos/v1/network/configuration/devices/{device}/basic"
        self.deployment.controller.api.request("POST", path, {"name": name})

    def port_name(self):
        """What the controller, and so the page, calls the bottleneck."""
        return next(port["name"] for port in self.sluice.ports() if port["id"] == PORT)

    def idle(self):
        """The page is live before there is any traffic, and nobody is throttled."""
        page = self.page
        for switch in self.deployment.network.switches:
            self.name_switch(switch, switch)
        with self.steps.step("the page is live, nobody is throttled", page):
            page.wait_for_state("live")
            page.page.get_by_text("Every endpoint gets what it sends.").wait_for()
            page.page.get_by_role("button", name="Switch s1").wait_for()
        self.watch(2)

    def flood(self):
        """Three tenants flood the bottleneck that the fourth one's TCP goes through, too."""
        now = time.monotonic_ns()
        for host in FLOODING:
            self.traffic.flood(host, BOTTLENECK_MBPS, start_nanos=now)
        self.traffic.tcp(
            *(TCP_HOST, FRESH_TCP_PORTS[0], "cubic"),
            start_nanos=now,
            stop_nanos=self.traffic.horizon_nanos,
        )
        page = self.page
        with self.steps.step("the flood appears: its port is congested", page):
            page.row("Congested ports", NAMED_PORT).wait_for()
            name = self.port_name()
            congested = re.compile(f"^{re.escape(name)}.*congested")
            page.page.get_by_role("button", name=congested).wait_for()
        self.watch(3)

    def culprits(self):
        """Flooding senders are distinguished from throttled ones."""
        page = self.page
        with self.steps.step("the culprits are marked, the victim is not", page):
            for host in FLOODING:
                page.row("Held back", f"{host}/vm0").filter(has_text="floods").wait_for()
            assert page.row("Held back", TCP_ENDPOINT).filter(has_text="floods").count() == 0
            page.page.get_by_role("button", name=re.compile("^Host h2.*flooding")).wait_for()
        self.steps.picture(page, "network")
        self.watch(2)

    def why(self):
        """Why one of them is held back, with the port, the law and the journal's numbers."""
        page = self.page
        endpoint = f"{FLOODING[0]}/vm0"
        with self.steps.step("why names port and law, and the journal's numbers", page):
            page.region("Held back").get_by_role("button", name=endpoint, exact=True).click()
            details = page.details
            details.get_by_role("heading", name="Why", exact=True).wait_for()
            details.get_by_text(self.port_name()).first.wait_for()
            details.get_by_text(HELD).wait_for()
            for host in (TCP_HOST, *FLOODING):
                details.get_by_role("row").filter(has_text=f"{host}/vm0").wait_for()
            text = details.inner_text()
            assert "sluice" in text.lower() or "law" in text.lower(), text
            known = {entry["decision"] for entry in self.sluice.journal(limit=500) if entry["port"]}
            shown = details.get_by_role("listitem").all_inner_texts()
            assert any(decision in line for line in shown for decision in known), shown
        self.steps.picture(page, "why")
        self.watch(3)
        page.page.keyboard.press("Escape")
        self.watch(1)

    def names_stay_text(self):
        """A name that is markup is shown as it is, and does nothing."""
        page = self.page
        with self.steps.step("names with script in them stay text", page):
            self.name_switch("s2", HOSTILE_NAME)
            try:
                page.page.locator(".node.switch").filter(has_text=HOSTILE_NAME).wait_for()
                page.row("Congested ports", HOSTILE_NAME).wait_for()
                assert page.page.locator("main img").count() == 0
                assert page.page.evaluate("document.body.dataset.hit") is None
            finally:
                self.name_switch("s2", "s2")

    def names_follow(self):
        """Ports have the names that switches have been given."""
        page = self.page
        with self.steps.step("ports are named after renamed switches", page):
            self.name_switch("s1", "leaf1")
            self.name_switch("s2", "spine1")
            try:
                page.row("Congested ports", re.compile(r"leaf1:\S+ -> spine1")).wait_for()
            finally:
                for switch in ("s1", "s2"):
                    self.name_switch(switch, switch)
            page.row("Congested ports", NAMED_PORT).wait_for()

    def refused_address(self):
        """A change that takes an address away says so first; then it is shown as the cause."""
        page = self.page
        endpoint, ip = f"{TAKEN_FROM}/vm0", addresses.endpoint(TAKEN_FROM).ip
        page.show("Tenants")
        with self.steps.step("a change that takes an address away has to be confirmed", page):
            page.page.get_by_role("button", name="Add a tenant").click()
            page.dialog.get_by_label("Id", exact=True).fill(TAKING_TENANT)
            page.dialog.get_by_label("Members").fill(endpoint)
            page.dialog.get_by_role("button", name="Add", exact=True).click()
            page.dialog.get_by_text(ip).filter(has_text=endpoint).first.wait_for()
            assert TAKING_TENANT not in self._tenants()
            page.dialog.get_by_role("button", name="Add all the same").click()
            page.dialog.wait_for(state="detached")
        with self.steps.step("the refused address is the cause, first of all, everywhere", page):
            page.row("Tenants", TAKING_TENANT).filter(has_text=f"{ip} refused").wait_for()
            page.show("Endpoints")
            page.row("Endpoints", endpoint).filter(has_text="address refused").wait_for()
            first = page.region("Endpoints").get_by_role("row").nth(1)
            first.filter(has_text=endpoint).wait_for()
            first.get_by_role("button", name=endpoint, exact=True).click()
            page.details.locator(".why-summary").filter(has_text=ip).wait_for()
            page.page.keyboard.press("Escape")
        with self.steps.step("with its tenant the refusal goes", page):
            page.show("Tenants")
            page.page.get_by_role("button", name=f"Remove tenant {TAKING_TENANT}").click()
            page.dialog.get_by_role("button", name="Remove", exact=True).click()
            page.row("Tenants", TAKING_TENANT).wait_for(state="detached")
            page.show("Endpoints")
            refused = page.row("Endpoints", endpoint).filter(has_text="address refused")
            refused.wait_for(state="detached")

    def broken_floor(self):
        """Guarantees that a port cannot keep are shown where their tenants, and the port, are."""
        page = self.page
        page.show("Tenants")
        try:
            with self.steps.step("a broken floor is shown at its tenants and its port", page):
                for tenant in GUARANTEED:
                    self._guarantee(tenant, GUARANTEE_MBPS)
                part = re.compile(rf"\d+ % of its guarantee at {re.escape(self.port_name())}")
                for tenant in GUARANTEED:
                    page.row("Tenants", tenant).filter(has_text=part).wait_for()
                self.steps.picture(page, "broken-floor")
                page.show("Ports")
                broken = f"guarantees of {', '.join(GUARANTEED)} broken"
                ports = page.region("Ports")
                ports.get_by_role("button", name=self.port_name(), exact=True).click()
                page.details.get_by_text(broken).wait_for()
                page.page.keyboard.press("Escape")
        finally:
            page.show("Tenants")
        with self.steps.step("a floor that is given up is broken no longer", page):
            for tenant in GUARANTEED:
                self._guarantee(tenant, 0)
            page.region("Tenants").get_by_text("of its guarantee at").first.wait_for(
                state="detached"
            )

    def _guarantee(self, tenant, mbps):
        page = self.page
        page.page.get_by_role("button", name=f"Edit tenant {tenant}").click()
        page.dialog.get_by_label("Guarantee, Mbit/s").fill(str(mbps))
        page.dialog.get_by_role("button", name="Change").click()
        page.dialog.wait_for(state="detached")

    def host_retired(self):
        """A host whose agent stopped is taken out of service, and is back with its agent."""
        page = self.page
        agent = self.deployment.host_agents[RETIRED_HOST]
        page.show("Hosts")
        with self.steps.step("a stopped host is retired, and all of it goes", page):
            agent.stop()
            try:
                page.page.get_by_role("button", name=f"Retire host {RETIRED_HOST}").click()
                page.dialog.get_by_role("button", name="Retire", exact=True).click()
                page.dialog.wait_for(state="detached")
                page.row("Hosts", RETIRED_HOST).wait_for(state="detached")
                page.show("Endpoints")
                page.row("Endpoints", f"{RETIRED_HOST}/vm0").wait_for(state="detached")
                about = [each["about"] for each in self.sluice.doctor()]
                assert not [each for each in about if each.startswith(RETIRED_HOST)], about
            finally:
                agent.start()
        with self.steps.step("a retired host is back with its agent", page):
            page.show("Endpoints")
            page.row("Endpoints", f"{RETIRED_HOST}/vm0").wait_for()

    def foreign(self):
        """A page of another port of the same address changes nothing, and shows nothing of it."""
        api = self.deployment.controller.api
        root, page = f"{api.url}{self.sluice.root}", self.page
        with (
            foreign_page.served(self.deployment.controller.address) as url,
            self.steps.step("a foreign page creates nothing, and frames nothing", page),
        ):
            before = self._tenants()
            other = page.elsewhere(url)
            sent = other.evaluate(foreign_page.REQUESTS, root)
            assert sent == foreign_page.SENT, sent
            other.evaluate(foreign_page.FRAME, api.url + self.sluice.page_path)
            frames = [each.url for each in other.frames]
            assert frames == [url, foreign_page.REFUSED_FRAME], frames
            with other.expect_navigation():
                other.evaluate(foreign_page.FORM, root)
            assert self._tenants() == before
            other.close()

    def refused_value(self):
        """What the controller refuses is shown at the field, with its reason."""
        page = self.page
        page.show("Tenants")
        with self.steps.step("a refused value shows its reason at its field", page):
            page.page.get_by_role("button", name=f"Edit tenant {TCP_TENANT}").click()
            for label, value, reason in (
                ("Weight", "-1", "weight"),
                ("Guarantee, Mbit/s", "100000", "%|capacity|guarantee"),
            ):
                field = page.dialog.get_by_label(label)
                before = field.input_value()
                field.fill(value)
                page.dialog.get_by_role("button", name="Change").click()
                page.dialog.locator("[aria-invalid]").wait_for()
                assert field.get_attribute("aria-invalid") == "true"
                described = field.get_attribute("aria-describedby").split()[0]
                error = page.page.locator(f"#{described}").inner_text()
                assert re.search(reason, error, re.IGNORECASE), error
                self.steps.picture(page, "refused")
                field.fill(before)
            page.page.keyboard.press("Escape")

    def tenant_added_and_removed(self):
        """A tenant is added, refused a second time, and removed."""
        page = self.page
        page.show("Tenants")
        with self.steps.step("a tenant is added, not twice, and removed", page):
            for expected in ("added", "refused"):
                page.page.get_by_role("button", name="Add a tenant").click()
                page.dialog.get_by_label("Id", exact=True).fill(ADDED_TENANT)
                page.dialog.get_by_label("Members").fill(ADDED_MEMBER)
                page.dialog.get_by_role("button", name="Add", exact=True).click()
                if expected == "added":
                    page.dialog.wait_for(state="detached")
                    page.row("Tenants", ADDED_TENANT).get_by_text(ADDED_MEMBER).wait_for()
                else:
                    page.page.locator("#error-id").get_by_text("already").wait_for()
                    page.page.keyboard.press("Escape")
            assert ADDED_TENANT in self._tenants()
            page.page.get_by_role("button", name=f"Remove tenant {ADDED_TENANT}").click()
            page.dialog.get_by_role("button", name="Remove", exact=True).click()
            page.row("Tenants", ADDED_TENANT).wait_for(state="detached")
            assert ADDED_TENANT not in self._tenants()

    def _tenants(self):
        return {each["id"] for each in self.sluice.tenants()}

    def weight_changed(self):
        """A weight that is changed in the page changes what arrives."""
        page = self.page
        page.show("Tenants")
        self.watch(2)
        changed = None
        with self.steps.step("a weight is changed in the page", page):
            page.page.get_by_role("button", name=f"Edit tenant {TCP_TENANT}").click()
            field = page.dialog.get_by_label("Weight")
            self.watch(1)
            field.fill(str(NEW_WEIGHT))
            self.watch(1)
            changed = time.monotonic_ns()
            page.dialog.get_by_role("button", name="Change").click()
            page.dialog.wait_for(state="detached")
            # By its name alone: "default" beside a weight of 1 contains it, too.
            named = page.page.get_by_text(TCP_TENANT, exact=True)
            row = page.region("Tenants").get_by_role("row").filter(has=named)
            row.get_by_role("cell").nth(1).get_by_text(str(NEW_WEIGHT), exact=True).wait_for()
        self.watch(5)
        self.steps.picture(page, "tenants")
        if changed is not None:
            self.steps.expect(
                below(
                    "seconds until the changed weight is in force in what arrives",
                    self._seconds_until_in_force(changed),
                    WITHIN_SECONDS,
                )
            )

    def _seconds_until_in_force(self, changed_nanos):
        end = changed_nanos + int(OBSERVED_SECONDS * 1e9)
        time.sleep(max(0, (end - time.monotonic_ns()) / 1e9))
        flows = self.traffic.flows()
        nothing = CumulativeSeries([(0, 0)])
        own = flows.get(_flow("tcp", TCP_HOST, FRESH_TCP_PORTS[0]), nothing)
        floods = [flows.get(_flow("udp", host, FLOOD_PORT), nothing) for host in FLOODING]
        return seconds_until_in_force(own, floods, changed_nanos, end)

    def deadline_refused(self):
        """A deadline that cannot be met is refused with the earliest that could be."""
        page = self.page
        page.show("Deadlines")
        with self.steps.step("a deadline that cannot be met is refused with the earliest", page):
            page.page.get_by_role("button", name="Register a deadline").click()
            self._fill(TOO_SOON_MILLIS)
            self.watch(1)
            page.dialog.get_by_role("button", name="Register", exact=True).click()
            error = page.page.locator("#error-dueInMillis")
            error.get_by_text("completes no sooner than").wait_for()
        self.watch(2)

    def deadline_met(self):
        """A deadline that can be met is promised, counted down, and met."""
        page = self.page
        with self.steps.step("a deadline is promised, counted down and met", page):
            self._fill(DUE_MILLIS)
            page.dialog.get_by_role("button", name="Register", exact=True).click()
            page.dialog.wait_for(state="detached")
            row = page.row("Deadlines", f"{addresses.endpoint(TCP_HOST).ip}:*").first
            row.get_by_text("waiting").wait_for()
            self.watch(1)
            self.traffic.receive_transfers()
            now = time.monotonic_ns()
            self.traffic.transfer(
                *(TCP_HOST, TRANSFER_PORTS[0], "cubic", SIZE_BYTES),
                start_nanos=now,
                stop_nanos=now + DUE_MILLIS * 1_000_000,
            )
            self.watch(3)
            row.get_by_text("met", exact=True).wait_for()
        self.steps.picture(page, "deadlines")
        self.watch(2)

    def _fill(self, due_millis):
        values = {
            "Source address": addresses.endpoint(TCP_HOST).ip,
            "Destination address": self.traffic.target,
            "Destination port": str(TRANSFER_PORTS[0]),
            "Size, bytes": str(SIZE_BYTES),
            "Due in, ms": str(due_millis),
        }
        for label, value in values.items():
            self.page.dialog.get_by_label(label).fill(value)


def seconds_until_in_force(own, others, changed_nanos, end_nanos):
    """Until one's part of all that arrives has crossed the middle of old and new; None: it has not.

    own, others: byte counters of the one whose weight was changed, and of all others.
    """
    begin = changed_nanos - BEFORE_NANOS
    together = CumulativeSeries(
        (instant, sum(each.at(instant) for each in others))
        for instant in range(begin, end_nanos + 1, STEP_NANOS)
    )
    points = parts_over_time(own, together, begin, end_nanos, WINDOW_NANOS, STEP_NANOS)
    crossed = crossed_at(
        points,
        (PART_BEFORE + PART_AFTER) / 2,
        rising=True,
        since_nanos=begin,
        stay_nanos=STAY_NANOS,
    )
    return None if crossed is None else max(0, crossed - changed_nanos) / 1e9


def _flow(kind, host, port):
    return f"{kind}/{addresses.endpoint(host).ip}/{port}"
