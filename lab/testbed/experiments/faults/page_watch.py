# SPDX-License-Identifier: Apache-2.0
"""The operator's page in Chromium, open through all faults, and sampled twice a second."""

import contextlib
import itertools
import os
import threading
import time

from testbed.control import browser
from testbed.experiments.faults import page_judgement
from testbed.experiments.faults.page_sample import SCRIPT, PageSample, facts_of
from testbed.report.expectations import Expectation, below
from testbed.system import polling
from testbed.system.errors import LabError

PERIOD_SECONDS = 0.5
# Views that show failures are sampled in every round, the rest in turn.
EVERY_ROUND = ("network", "hosts", "endpoints")
IN_TURN = ("ports", "tenants", "deadlines", "journal")
OPENED_WITHIN_SECONDS = 60
USUAL_WITHIN_SECONDS = 10
ENDED_WITHIN_SECONDS = 30
# Sampling must not take the processor from the page.
NICENESS = 10


def is_possible():
    """Whether there is a browser."""
    try:
        browser.require()
    except LabError:
        return False
    return True


class NoPageWatch(contextlib.nullcontext):
    """Without a page."""

    def __init__(self):
        super().__init__(self)
        self.fault = ""

    def expect_usual(self, hosts):
        """No expectation."""
        return []

    def conclude(self):
        """No expectation, and nothing to report."""
        return [], {}


class PageWatch:
    """Context manager: samples the page, in a thread; fault: what is being made meanwhile."""

    def __init__(self, environment):
        self.environment = environment
        self.fault = ""
        self.samples = []
        self._errors = []
        self._opened = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)

    def __enter__(self):
        self._thread.start()
        if not self._opened.wait(OPENED_WITHIN_SECONDS):
            self._errors.append(f"it is not live {OPENED_WITHIN_SECONDS} s after it was opened")
        if self._errors:
            self._end()
            raise LabError(f"the page cannot be watched: {'; '.join(self._errors)}")
        return self

    def __exit__(self, kind, failure, trace):
        self._end()

    def _end(self):
        self._ending.set()
        self._thread.join(ENDED_WITHIN_SECONDS)
        if self._thread.is_alive():
            self._errors.append("it does not answer")

    def expect_usual(self, hosts):
        """That the page is live, and shows all of these hosts and all switches as connected."""
        since = time.monotonic()
        first = len(self.samples)
        try:
            polling.until(
                lambda: self._is_usual(self.samples[first:], hosts),
                "the page to show everything as connected",
                timeout_seconds=USUAL_WITHIN_SECONDS,
                interval_seconds=0.1,
            )
        except LabError:
            return [Expectation("page as usual again, s", None, f"< {USUAL_WITHIN_SECONDS}", False)]
        seconds = time.monotonic() - since
        return [below("page as usual again, s", seconds, USUAL_WITHIN_SECONDS)]

    @staticmethod
    def _is_usual(samples, hosts):
        usual = {
            sample.view
            for sample in samples
            if sample.is_live
            and "polled" not in sample.state_text
            and not sample.misses_switches
            and not any(map(sample.misses_agent_of, hosts))
        }
        return usual.issuperset(EVERY_ROUND)

    def conclude(self):
        """Expectations, and the page's part of the result document."""
        judgement, failures = page_judgement.judged(self.samples, self._errors)
        times = [sample.at_seconds for sample in self.samples]
        apart = [later - earlier for earlier, later in itertools.pairwise(times)]
        states = [sample.state for sample in self.samples]
        return judgement, {
            "samples": len(self.samples),
            "samplesByState": {state: states.count(state) for state in sorted(set(states))},
            "longestBetweenSamplesSeconds": round(max(apart, default=0.0), 1),
            "failures": failures,
        }

    def _run(self):
        try:
            # Of this thread alone, and of what it starts.
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
            with browser.running() as chromium:
                self._watch(chromium)
        # Whatever it is: a watch that has ended early may have enough samples to pass.
        except Exception as failed:
            self._errors.append(f"{type(failed).__name__}: {failed}".strip())
        finally:
            # Ends a wait that cannot succeed.
            self._opened.set()

    def _watch(self, chromium):
        api = self.environment.deployment.controller.api
        url = api.url + self.environment.sluice.page_path
        page = browser.Page(chromium, url, *api.administrator.split(":"))
        try:
            page.wait_for_state("live")
            self._opened.set()
            self._sample_on(page)
        finally:
            self._errors += page.errors

    def _sample_on(self, page):
        rounds = ((*EVERY_ROUND, other) for other in itertools.cycle(IN_TURN))
        views = itertools.chain.from_iterable(rounds)
        next_seconds = time.monotonic()
        while not self._ending.wait(max(0.0, next_seconds - time.monotonic())):
            next_seconds = time.monotonic() + PERIOD_SECONDS
            before = facts_of(self.environment)
            fault = self.fault
            seen = page.page.evaluate(SCRIPT, next(views))
            self.samples.append(PageSample.of(seen, fault, before))
