# SPDX-License-Identifier: Apache-2.0
"""One process of sluice-agent: its files, its start and end, and its local interface."""

import json
import signal
import subprocess

from testbed.system import polling, processors, repository
from testbed.system.errors import LabError

BINARY = repository.ROOT / "host-agent" / "bin" / "sluice-agent"


class Agent:
    """One sluice-agent process in a namespace, with its own run directory and pins."""

    def __init__(self, lab_run, node, subcommand, configuration):
        self.lab_run = lab_run
        self.node = node
        self.subcommand = subcommand
        self.directory = lab_run.directory / f"agent-{node.name}"
        self.run_directory = self.directory / "run"
        self.run_directory.mkdir(parents=True)
        self.log_file = self.directory / "agent.log"
        self.configuration_file = self.directory / "agent.yaml"
        self.configuration = {
            "runDirectory": str(self.run_directory),
            "bpfDirectory": str(lab_run.bpf_directory / node.name),
        }
        self.reconfigure(configuration)
        self.process = None

    def reconfigure(self, changes):
        """Change its configuration, which it reads when it starts."""
        self.configuration |= changes
        # JSON is YAML: no library needed to write it.
        text = json.dumps(self.configuration, indent=1)
        self.configuration_file.write_text(text, encoding="utf-8")

    def start(self):
        """Start the agent and wait until it answers."""
        with open(self.log_file, "ab") as log:
            self.process = self.node.popen(
                [
                    *processors.SERVICE_PRIORITY,
                    *(str(BINARY), self.subcommand, "--config", str(self.configuration_file)),
                ],
                stdout=log,
                stderr=log,
            )
        polling.until(self._answers, f"the agent on {self.node.name} to answer", timeout_seconds=20)

    def _answers(self):
        if self.process.poll() is not None:
            raise AgentEnded(self.node.name, self.process.returncode, self.last_log_line())
        return self.status()

    @property
    def has_ended(self):
        """Whether it was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def last_log_line(self):
        """The last line of its log."""
        lines = self.log_file.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "no output")

    @property
    def socket(self):
        """The path of its control socket."""
        return self.run_directory / "agent.sock"

    @property
    def flow_socket(self):
        """The path of the socket that applications register flows by."""
        return self.run_directory / "flows.sock"

    def status(self):
        """The agent's status document (decoded JSON)."""
        return json.loads(self._call("status", "--json"))

    def limit(self, interface, mbps):
        """Set (Mbit/s) or lift (None) the operator's rate of an endpoint."""
        self._call("limit", interface, "off" if mbps is None else f"{mbps:g}")

    def _call(self, *arguments):
        return self.node.check([str(BINARY), *arguments, "--run-dir", str(self.run_directory)])

    def stop(self):
        """Stop the agent as an operator would; it removes what it has made."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def kill(self):
        """End the agent by SIGKILL; its limits and all its objects stay."""
        self.process.kill()
        self.process.wait()
        self.process = None

    @property
    def pins(self):
        """BPF pins of this agent that exist now."""
        directory = self.lab_run.bpf_directory / self.node.name
        return sorted(str(path) for path in directory.rglob("*") if path.is_file())


class AgentEnded(Exception):
    """The agent ended instead of starting; not retried, unlike LabError while waiting."""

    def __init__(self, name, status, last_log_line):
        super().__init__(f"the agent on {name} ended with status {status}: {last_log_line}")


def require_binary():
    """Raise LabError when the agent was not built."""
    if not BINARY.exists():
        raise LabError(
            f"{BINARY.relative_to(repository.ROOT)} is missing: build it with 'make build'"
        )
