# SPDX-License-Identifier: Apache-2.0
"""Sluice's page in Chromium, as an operator uses it."""

import contextlib
import sys
from pathlib import Path

from testbed.system import repository
from testbed.system.errors import LabError

CHROMIUM = "/usr/bin/chromium"
TOOLS = repository.ROOT / ".tools" / "playwright"
AXE = repository.ROOT / "web-gui" / "node_modules" / "axe-core" / "axe.min.js"
# It runs as root here, without a screen.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
TIMEOUT_MILLIS = 60_000
# What WCAG 2.1 AA requires.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


def require():
    """LabError where Chromium, its driver or axe is missing."""
    for path in (Path(CHROMIUM), TOOLS, AXE):
        if not path.exists():
            raise LabError(f"{path} is missing: run lab/setup and make build first")


@contextlib.contextmanager
def running():
    """Chromium."""
    if str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        try:
            yield chromium
        finally:
            chromium.close()


class Page:
    """The page, opened by a user in a browser of its own."""

    def __init__(self, chromium, url, user, password, *, scheme="light", viewport=None):
        self._context = chromium.new_context(
            http_credentials={"username": user, "password": password},
            color_scheme=scheme,
            viewport=viewport or DESKTOP,
        )
        self.errors = []
        self.page = self._context.new_page()
        self.page.set_default_timeout(TIMEOUT_MILLIS)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)

    def close(self):
        """Close it."""
        self._context.close()

    def elsewhere(self, url):
        """Another page in the same browser, where the user is logged in."""
        other = self._context.new_page()
        other.goto(url)
        return other

    def show(self, view):
        """Go to a view by its link."""
        self.page.get_by_role("navigation").get_by_role("link", name=view, exact=True).click()

    def region(self, name):
        """A part of the page by its name."""
        return self.page.get_by_role("region", name=name, exact=True)

    def row(self, region, text):
        """The rows of a table that contain a text."""
        return self.region(region).get_by_role("row").filter(has_text=text)

    @property
    def details(self):
        """Where something's details are shown."""
        return self.page.get_by_role("complementary", name="Details")

    @property
    def dialog(self):
        """The form that is open."""
        return self.page.get_by_role("dialog")

    def state(self):
        """How the page stands to the controller: live, stale or waiting."""
        return self.page.locator("#state").get_attribute("class")

    def wait_for_state(self, state):
        """Wait until the page stands so to the controller."""
        self.page.locator(f"#state.{state}").wait_for()

    def violations(self):
        """What axe finds: ["rule: element"]."""
        if not self.page.evaluate("'axe' in window"):
            # By the debugger's interface, which the page's content security policy leaves alone.
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate(
            "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES
        )
        return [
            f"{each['id']}: {node['html'][:120]}"
            for each in found["violations"]
            for node in each["nodes"]
        ]
