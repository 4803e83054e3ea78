# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser, by its visible text."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from controller import Controller

CHROMIUM = "/usr/bin/chromium"
TOOLS = Path(__file__).resolve().parents[3] / ".tools" / "playwright"
# The page gets changes within a second.
TIMEOUT_MILLIS = 15_000
# It runs as root here, without a screen.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


class Row:
    """A row of a table of the page."""

    def __init__(self, table, name: str):
        self._headers = table.locator("th").all_inner_texts()
        self._row = table.get_by_role("row").filter(has_text=name)

    def shows(self, column: str, text: str) -> None:
        """Waits until a cell contains this text."""
        from playwright.sync_api import expect

        cell = self._row.get_by_role("cell").nth(self._headers.index(column))
        expect(cell).to_contain_text(text, timeout=TIMEOUT_MILLIS)


class Page:
    """Sluice's page, open."""

    def __init__(self, page):
        self._page = page
        self._errors: list[str] = []
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", self._note)

    def open(self, address: str) -> None:
        self._page.goto(address)

    def _note(self, message) -> None:
        if message.type == "error":
            self._errors.append(message.text)

    def show(self, view: str) -> None:
        """Shows one of the page's views."""
        self._page.get_by_role("navigation").get_by_role("link", name=view).click()

    def row(self, heading: str, name: str) -> Row:
        """The row that contains this text, of the table below a heading of what is shown."""
        found = self._page.get_by_role("heading", name=heading)
        section = self._page.locator("section").filter(has=found)
        section.get_by_role("row").filter(has_text=name).wait_for(timeout=TIMEOUT_MILLIS)
        return Row(section.locator("table"), name)

    def elsewhere(self, address: str, script: str, argument: str, *, leaves: bool = False) -> Any:
        """What a script returns in another page, in the same browser; it may lead to a third."""
        self.open(address)
        if not leaves:
            return self._page.evaluate(script, argument)
        with self._page.expect_navigation():
            return self._page.evaluate(script, argument)

    def frames(self) -> list[str]:
        """The addresses of the page and of what it shows in frames."""
        return [each.url for each in self._page.frames]

    def has_no_errors(self) -> None:
        assert self._errors == []


@contextlib.contextmanager
def opened(onos: Controller) -> Iterator[Page]:
    """The page of this ONOS, as an operator opens it."""
    if not Path(CHROMIUM).exists() or not TOOLS.exists():
        pytest.fail(f"{CHROMIUM} or {TOOLS} is missing: run lab/setup first")
    sys.path.append(str(TOOLS))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        try:
            context = browser.new_context(
                http_credentials={"username": "onos", "password": "rocks"}
            )
            page = Page(context.new_page())
            page.open(f"http://{onos.bind}:{onos.ports['rest']}/onos/sluice/ui/")
            yield page
        finally:
            browser.close()
