# SPDX-License-Identifier: Apache-2.0
"""nginx in a machine, with a page of a given size and nothing of the system's own."""

import ipaddress
import signal
import subprocess
from pathlib import Path

from testbed.network import addresses
from testbed.network.topology import VM_INTERFACE, VM_PREFIX_LENGTHS
from testbed.system import polling, processes
from testbed.system.errors import LabError

PORT = 80
PAGE = "page"
STARTS_WITHIN_SECONDS, STOPS_WITHIN_SECONDS = 10, 5
TEMPORARY_PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def configuration(directory, address, port):
    """nginx's: one worker, no file outside the directory, no log of accesses.

    The worker stays root: the page is in the run's directory, which others may not be able to read.
    """
    paths = "\n".join(f"    {name}_temp_path {directory}/{name};" for name in TEMPORARY_PATHS)
    return f"""daemon off;
user root;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
events {{
    worker_connections 1024;
}}
http {{
{paths}
    access_log off;
    sendfile on;
    tcp_nopush on;
    server {{
        listen {address}:{port};
        root {directory}/www;
    }}
}}
"""


class WebServer:
    """nginx as processes of a machine, started and stopped by their ids.

    nginx writes over its environment, so that its processes are not found by their run's tag; the
    removal of a run finds them in their namespace.
    """

    def __init__(self, network, host, page_bytes, congestion_control):
        self._machine = network.machines[host]
        self._congestion_control = congestion_control
        self._directory = network.lab_run.directory / f"web-{host}"
        self._page_bytes = page_bytes
        self._process = None
        self.host = host
        self.address = addresses.endpoint(host).ip
        self.port = PORT
        self.path = f"/{PAGE}"

    @property
    def url(self):
        """The page's."""
        return f"http://{self.address}:{self.port}{self.path}"

    def start(self):
        """Start it; returns once it listens."""
        root = self._directory / "www"
        root.mkdir(parents=True)
        (root / PAGE).write_bytes(bytes(self._page_bytes))
        configuration_file = self._directory / "nginx.conf"
        text = configuration(self._directory, self.address, self.port)
        configuration_file.write_text(text, encoding="utf-8")
        self._choose_congestion_control()
        log_file = self._directory / "error.log"
        with open(self._directory / "output.log", "wb") as output:
            self._process = self._machine.popen(
                [
                    *("nginx", "-e", str(log_file), "-p", str(self._directory)),
                    *("-c", str(configuration_file)),
                ],
                stdout=output,
                stderr=output,
            )
        # It writes its process id after it has begun to listen.
        polling.until(
            lambda: self._has_ended() or (self._directory / "nginx.pid").exists(),
            f"the web server on {self.host}",
            timeout_seconds=STARTS_WITHIN_SECONDS,
        )
        if self._has_ended():
            raise LabError(f"the web server on {self.host} ended: {_last_line(log_file)}")

    def _choose_congestion_control(self):
        """By the machine's route: nginx has no setting, and a namespace's must be one of few."""
        own = f"{self.address}/{VM_PREFIX_LENGTHS[0]}"
        network = ipaddress.ip_network(own, strict=False)
        self._machine.ip_command(
            *("route", "change", str(network), "dev", VM_INTERFACE, "proto", "kernel"),
            *("scope", "link", "src", self.address, "congctl", self._congestion_control),
        )

    def _has_ended(self):
        return self._process.poll() is not None

    def forget_paths(self):
        """Have the kernel forget what it learned from the machine's earlier connections."""
        self._machine.ip_command("tcp_metrics", "flush", "all")

    def stop(self):
        """Stop it and wait for its end; returns what is left of it, as lines."""
        if self._process is None:
            return []
        pids = [self._process.pid, *_children(self._process.pid)]
        begun = {pid: processes.start_ticks(pid) for pid in pids}
        if not self._has_ended():
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOPS_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                processes.stop_all(pids)
                self._process.wait(STOPS_WITHIN_SECONDS)
        self._process = None
        return [
            f"process {pid} of the web server on {self.host}"
            for pid, ticks in begun.items()
            if processes.is_alive(pid, ticks)
        ]


def _children(pid):
    """Ids of a process's children."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _last_line(log_file):
    lines = log_file.read_text(errors="replace").splitlines() if log_file.exists() else []
    return lines[-1] if lines else "no output"
