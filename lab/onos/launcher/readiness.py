# SPDX-License-Identifier: Apache-2.0
"""Waits until an ONOS is truly ready: it answers, its applications run, its components too."""

import time
from pathlib import Path

from launcher import components, rest
from launcher.errors import FailedStartError, LauncherError
from launcher.process import Process
from launcher.rundirectory import RunDirectory
from launcher.settings import REQUIRED_APPLICATIONS, Settings

_FATAL = "Error installing boot features"
# The web container deploys ONOS's REST while that still starts: now and then too early, and only
# once, so that REST would never answer.
_DEPLOYMENT_FAILED = "Error deploying web application"
# Now and then ONOS's cluster store waits for itself at its start, for ever, and in silence.
_STALLED_SECONDS = 60.0
_STACK_FRAME = ("\tat ", "\t\tat ", "\t... ", "\t\t... ")
_OPENFLOW_BUNDLE = "org.sluice.lab-onos-openflow"


def missing(process: Process, settings: Settings) -> str | None:
    """What an ONOS still lacks, None when it is ready."""
    return _missing_application(settings) or _missing_component(process, settings)


def _missing_application(settings: Settings) -> str | None:
    applications = rest.get(settings.url, "applications")
    if applications is None:
        return "REST does not answer"
    states = {each["name"]: each["state"] for each in applications["applications"]}
    waiting = [name for name in REQUIRED_APPLICATIONS if states.get(name) != "ACTIVE"]
    return f"applications not active: {', '.join(waiting)}" if waiting else None


def _missing_component(process: Process, settings: Settings) -> str | None:
    try:
        listed = components.listed(settings.reachable_address, settings.ssh_port)
    except LauncherError as error:
        return str(error)
    unsatisfied = [each.name for each in listed if not each.is_satisfied]
    if unsatisfied:
        return f"components not satisfied: {', '.join(unsatisfied)}"
    if not any(each.bundle == _OPENFLOW_BUNDLE for each in listed):
        return "the OpenFlow providers have no components yet"
    if settings.openflow_port not in process.listening_ports:
        return f"nothing listens for switches on port {settings.openflow_port}"
    return None


def wait(process: Process, run: RunDirectory, settings: Settings, seconds: float) -> None:
    """Returns when ONOS is ready; raises with the reason when it dies or takes too long."""
    deadline = time.monotonic() + seconds
    lacking: str | None = "nothing yet"
    logged, logged_at = "", time.monotonic()
    while lacking:
        if not process.is_alive:
            raise LauncherError("\n".join(["ONOS ended while starting:", *reasons(run)]))
        before, logged = logged, _text(run.karaf_log)
        logged_at = time.monotonic() if logged != before else logged_at
        if _FATAL in logged:
            raise LauncherError("\n".join(["ONOS cannot start:", *reasons(run)]))
        if _DEPLOYMENT_FAILED in logged:
            raise FailedStartError("\n".join(["ONOS's REST was not deployed:", *reasons(run)]))
        if time.monotonic() - logged_at > _STALLED_SECONDS:
            ports = ", ".join(str(port) for port in sorted(process.listening_ports))
            raise FailedStartError(
                "\n".join(
                    [
                        f"ONOS has logged nothing for {_STALLED_SECONDS:.0f} s, and is not ready:",
                        f"{lacking}; listening TCP ports around it: {ports or 'none'}",
                        *reasons(run),
                    ]
                )
            )
        if time.monotonic() > deadline:
            raise LauncherError(
                "\n".join([f"ONOS not ready after {seconds:.0f} s: {lacking}", *reasons(run)])
            )
        lacking = missing(process, settings)
        if lacking:
            time.sleep(0.5)


def reasons(run: RunDirectory, lines: int = 15) -> list[str]:
    """The last complaints in ONOS's logs, without the stack frames."""
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
