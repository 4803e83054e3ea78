# SPDX-License-Identifier: Apache-2.0
"""What the operator's page shows at one moment, and what is so at that moment."""

from dataclasses import dataclass, field

from testbed.system import processes
from testbed.system.errors import LabError

REST_SECONDS = 2
# What the page has for what no agent reports.
NOT_KNOWN = "not known"

# Shows a view, and returns what an operator would see of it after the next drawing.
SCRIPT = """view => new Promise((resolve) => {
  location.replace("#" + view);
  const labels = (selector) =>
    [...document.querySelectorAll(selector)].map((each) => each.getAttribute("aria-label") ?? "");
  const sample = () => {
    const main = document.getElementById("main");
    const state = document.getElementById("state");
    const shown = document.querySelector("main > section:not([hidden])");
    resolve({
      atSeconds: performance.now() / 1000,
      view: shown === null ? "" : shown.id,
      state: state.className,
      stateText: state.innerText,
      characters: main.innerText.trim().length,
      grey: getComputedStyle(main).filter.includes("grayscale"),
      rows: [...(shown?.querySelectorAll("tbody tr") ?? [])].map((row) => row.innerText),
      switches: labels("section:not([hidden]) .node.switch"),
      hosts: labels("section:not([hidden]) .node.hosts"),
    });
  };
  requestAnimationFrame(() => requestAnimationFrame(sample));
})"""


@dataclass(frozen=True)
class Facts:
    """What is so, found out beside the page."""

    controller_runs: bool = True
    dead_agents: frozenset = frozenset()
    # Names as the page forms them where nobody has named a switch.
    lost_switches: frozenset = frozenset()


@dataclass(frozen=True)
class PageSample:
    """What was shown; rows are the texts of the view's tables, cells apart by tabs."""

    at_seconds: float
    view: str
    state: str
    state_text: str
    characters: int
    grey: bool
    rows: tuple = ()
    switches: tuple = ()
    hosts: tuple = ()
    fault: str = ""
    before: Facts = field(default_factory=Facts)

    @classmethod
    def of(cls, seen, fault, before):
        """From what the script returns."""
        return cls(
            at_seconds=seen["atSeconds"],
            view=seen["view"],
            state=seen["state"],
            state_text=seen["stateText"],
            characters=seen["characters"],
            grey=seen["grey"],
            rows=tuple(seen["rows"]),
            switches=tuple(seen["switches"]),
            hosts=tuple(seen["hosts"]),
            fault=fault,
            before=before,
        )

    @property
    def is_live(self):
        """Whether the page presents what it shows as being so now."""
        return self.state == "live"

    def shows_agent_of(self, host):
        """Whether the view presents this host's agent as connected, or rates as known by it."""
        return (
            any(
                label.startswith(f"Host {host}:") and "without" not in label for label in self.hosts
            )
            or any(self._of(f"{host}\tconnected\t"))
            or (
                self.view == "endpoints"
                and any(NOT_KNOWN not in row for row in self._of(f"{host}/"))
            )
        )

    def misses_agent_of(self, host):
        """Whether the view presents this host's agent as not connected."""
        return any(
            label.startswith(f"Host {host}:") and "without" in label for label in self.hosts
        ) or any("not connected" in row for row in self._of(f"{host}\t"))

    def shows_switch(self, name):
        """Whether the view presents this switch as connected."""
        return f"Switch {name}" in self.switches

    @property
    def misses_switches(self):
        """Whether the view presents any switch as not connected."""
        return any("not connected" in label for label in self.switches)

    @property
    def things(self):
        """How many things are shown."""
        return len(self.rows) + len(self.switches) + len(self.hosts)

    def _of(self, beginning):
        return [row for row in self.rows if row.startswith(beginning)]


def switch_name(device_id):
    """A switch that nobody has named, as the page names it."""
    return "switch " + device_id.removeprefix("of:").lstrip("0")


def facts_of(environment):
    """What is so now, by process ids and by the controller's own REST."""
    runs = _runs(environment.lab_controller)
    lost = frozenset()
    if runs:
        try:
            devices = environment.deployment.controller.api.devices(REST_SECONDS)
            # One that has none at all may just be starting.
            lost = frozenset(
                switch_name(switch.device_id)
                for switch in environment.network.switches.values()
                if devices and not devices.get(switch.device_id)
            )
        except LabError:
            pass
    dead = frozenset(host for host, agent in environment.agents.items() if agent.process is None)
    return Facts(runs, dead, lost)


def _runs(lab_controller):
    try:
        return processes.start_ticks(lab_controller.pid) is not None
    except (OSError, KeyError, ValueError):
        return False  # Its record is just being written.
