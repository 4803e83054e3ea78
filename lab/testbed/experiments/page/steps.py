# SPDX-License-Identifier: Apache-2.0
"""The steps of a walk through the page: how each ended, and its pictures."""

import contextlib
import time
from pathlib import Path

from testbed.report.expectations import Expectation

FRAME_MILLIS = 500
WIDTH = 960


class Steps:
    """Steps, one after the other; when one fails, the next is tried all the same."""

    def __init__(self, out, progress):
        self.out = Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.progress = progress
        self.expectations = []
        self.failures = []

    @contextlib.contextmanager
    def step(self, name, page):
        """One step: what it does must come true, without an exception, while it lasts."""
        from playwright.sync_api import Error

        begin = time.monotonic()
        problem = None
        try:
            yield
        except (AssertionError, Error) as failed:
            problem = str(failed).strip()
            self.failures.append(f"{name}: {problem}")
            page.page.screenshot(path=self.out / f"page-failed-{len(self.failures)}.png")
        seconds = time.monotonic() - begin
        self.expectations.append(Expectation(name, seconds, "comes true", problem is None))
        first_line = "" if problem is None else ": " + problem.splitlines()[0]
        self.progress.log(
            f"  {name}: {'FAILS' if problem else 'holds'}, {seconds:.1f} s{first_line}"
        )

    def expect(self, expectation):
        """Something that was measured."""
        self.expectations.append(expectation)

    def picture(self, page, name):
        """What the page shows now, for the documents."""
        page.page.screenshot(path=self.out / f"page-{name}.png")


class Film:
    """Pictures of a page, one after the other, as one animation."""

    def __init__(self, path):
        self.path = Path(path)
        self._frames = []

    def take(self, page, seconds):
        """Watch the page for so long."""
        end = time.monotonic() + seconds
        while True:
            self._frames.append((page.page.screenshot(), time.monotonic()))
            rest = end - time.monotonic()
            if rest <= 0:
                return
            page.page.wait_for_timeout(min(FRAME_MILLIS, rest * 1000))

    def write(self):
        """Write the animation; a picture is shown for as long as it took to the next one."""
        import io

        from PIL import Image

        images = []
        for content, _ in self._frames:
            image = Image.open(io.BytesIO(content)).convert("RGB")
            images.append(image.resize((WIDTH, WIDTH * image.height // image.width)))
        millis = [FRAME_MILLIS] * (len(images) - 1) + [4 * FRAME_MILLIS]
        images[0].save(
            self.path,
            save_all=True,
            append_images=images[1:],
            duration=millis,
            loop=0,
            quality=55,
            method=4,
        )
