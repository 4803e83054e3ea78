# SPDX-License-Identifier: Apache-2.0
"""Waits until a controller is truly ready, or cannot become so."""

import time
from collections.abc import Callable
from pathlib import Path

from karaf.errors import FailedStartError, LauncherError
from karaf.process import Process
from karaf.rundirectory import RunDirectory

_FATAL = "Error installing boot features"
# The web container deploys REST while that still starts: now and then too early, and only once,
# so that REST would never answer.
_DEPLOYMENT_FAILED = "Error deploying web application"
# Now and then ONOS's cluster store waits for itself at its start, for ever, and in silence.
_STALLED_SECONDS = 60.0
_STACK_FRAME = ("\tat ", "\t\tat ", "\t... ", "\t\t... ")


def wait(
    title: str,
    process: Process,
    run: RunDirectory,
    missing: Callable[[], str | None],
    seconds: float,
) -> None:
    """Returns when nothing is missing; raises with the reason when it dies or takes too long.

    title: the controller's name in messages.
    """
    deadline = time.monotonic() + seconds
    lacking: str | None = "nothing yet"
    logged, logged_at = "", time.monotonic()
    while lacking:
        if not process.is_alive:
            raise LauncherError("\n".join([f"{title} ended while starting:", *reasons(run)]))
        before, logged = logged, _text(run.karaf_log)
        logged_at = time.monotonic() if logged != before else logged_at
        if _FATAL in logged:
            raise LauncherError("\n".join([f"{title} cannot start:", *reasons(run)]))
        if _DEPLOYMENT_FAILED in logged:
            raise FailedStartError("\n".join([f"{title}'s REST was not deployed:", *reasons(run)]))
        if time.monotonic() - logged_at > _STALLED_SECONDS:
            ports = ", ".join(str(port) for port in sorted(process.listening_ports))
            raise FailedStartError(
                "\n".join(
                    [
                        f"{title} has logged nothing for {_STALLED_SECONDS:.0f} s, and is not"
                        " ready:",
                        f"{lacking}; listening TCP ports around it: {ports or 'none'}",
                        *reasons(run),
                    ]
                )
            )
        if time.monotonic() > deadline:
            raise FailedStartError(
                "\n".join([f"{title} not ready after {seconds:.0f} s: {lacking}", *reasons(run)])
            )
        lacking = missing()
        if lacking:
            time.sleep(0.5)


def reasons(run: RunDirectory, lines: int = 15) -> list[str]:
    """The last complaints in a controller's logs, without the stack frames."""
    console = [
        line for line in _text(run.console_log).splitlines() if not line.startswith(_STACK_FRAME)
    ]
    logged = _text(run.karaf_log).splitlines()
    log = [
        line
        for before, line in zip(["", *logged], logged, strict=False)
        if "| ERROR |" in line
        or "| WARN  |" in line
        or line.startswith("Caused by:")
        or ("| ERROR |" in before and " | " not in line)  # the exception's own words
    ]
    return console[-lines:] + log[-lines:] or ["(its logs hold no error)"]


def _text(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""
