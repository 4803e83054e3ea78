# SPDX-License-Identifier: Apache-2.0
"""Starting the traffic programs in a network and gathering their reports."""

import contextlib
import json
import os
import signal
import subprocess
import time

from testbed.measure.series import read_counter, read_flows
from testbed.network import addresses
from testbed.network.topology import VM_INTERFACE
from testbed.network.wire import RIGHT
from testbed.programs import attack_frames, launch
from testbed.system import polling
from testbed.system.errors import LabError

CONGESTION_CONTROLS = ("reno", "cubic", "bbr")
FRESH_TCP_PORTS = range(6000, 6050)
LONG_LIVED_PORT = 6100
TRANSFER_PORTS = range(6200, 6300)
LONG_LIVED_MBPS = 0.1  # too little to reduce the share that is judged
FLOOD_PORT = 7000
PROBE_PORT = 7100
HORIZON_SECONDS = 600
BIN_MILLIS = 50
PING_SECONDS = 0.3
PING_PROGRAM_SECONDS = 10


def ping_once(machine, address):
    """Whether an address answers a machine's pings within PING_SECONDS."""
    report = machine.check(
        launch.command(
            *("ping", "--to", address, "--interval-millis", "100"),
            *("--for-millis", str(PING_SECONDS * 1e3)),
            *("--stop-nanos", str(time.monotonic_ns() + int(PING_PROGRAM_SECONDS * 1e9))),
        ),
        cwd=launch.PACKAGE_PARENT,
    )
    return bool(json.loads(report)["samples"])


def wait_until_reached(machine, name, address, timeout_seconds):
    """Wait until an address answers the pings of a machine that errors call by a name."""
    polling.until(
        lambda: ping_once(machine, address),
        f"{name} to reach {address}",
        timeout_seconds=timeout_seconds,
    )


def party_of(machine):
    """A machine's addresses, as programs take them."""
    endpoint = addresses.endpoint(machine)
    return attack_frames.Party(endpoint.mac, endpoint.ip, endpoint.ip6)


class Job:
    """One running traffic program."""

    def __init__(self, name, process, log_file):
        self.name = name
        self._process = process
        self._log_file = log_file
        self.ready_file = None

    def wait_until_answered(self):
        """Wait until the first of a stream of pings was answered."""
        polling.until(self.ready_file.exists, f"{self.name} to be answered", timeout_seconds=20)

    def wait(self, timeout_seconds=10):
        """Wait for the program's end; returns what it wrote."""
        try:
            return self._process.communicate(timeout=timeout_seconds)[0]
        except subprocess.TimeoutExpired as late:
            raise LabError(f"{self.name} did not end in time") from late

    def report(self, timeout_seconds=10):
        """Wait for the program's end; returns its JSON report."""
        output = self.wait(timeout_seconds)
        try:
            return json.loads(output.splitlines()[-1])
        except (IndexError, json.JSONDecodeError) as broken:
            log = self._log_file.read_text(encoding="utf-8", errors="replace").strip()
            raise LabError(f"{self.name} gave no report: {log or 'no output'}") from broken

    def interrupt(self):
        """Make the program end and report."""
        self._process.send_signal(signal.SIGINT)

    def end(self):
        """Terminate the program."""
        if self._process.poll() is None:
            self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.communicate(timeout=5)


class Traffic:
    """All traffic of one experiment.

    receivers: hosts that receive (default: the plan's last one). Traffic without an address goes to
    the first of them. bin_millis: how often receivers write down what has arrived.
    """

    def __init__(
        self,
        network,
        name="traffic",
        ip_version=4,
        receivers=None,
        horizon_seconds=HORIZON_SECONDS,
        bin_millis=BIN_MILLIS,
    ):
        self.network = network
        self.bin_millis = bin_millis
        self.directory = network.lab_run.directory / f"traffic-{name}-{time.monotonic_ns()}"
        self.directory.mkdir()
        self.ip_version = ip_version
        self.receivers = tuple(receivers or network.plan.hosts[-1:])
        self.receiver = addresses.endpoint(self.receivers[0])
        self.horizon_nanos = time.monotonic_ns() + int(horizon_seconds * 1e9)
        self._jobs = []

    @property
    def target(self):
        """The default address that traffic goes to."""
        return self.receiver.address(self.ip_version)

    def start_measuring(self):
        """Start the receivers' sinks, the responder to probes and the wires' samplers."""
        for host in self.receivers:
            self._start_sink(host)
        receiver = self.network.machines[self.receiver.host]
        self._start(receiver, "probe", "--answer-on", self.target, "--port", str(PROBE_PORT))
        written = [self.flows_file(host) for host in self.receivers]
        for link, wire in self.network.wires.items():
            self._start(
                wire, "link_sampler", "--device", RIGHT, "--series", str(self._link_file(link))
            )
            written.append(self._link_file(link))
        for path in written:
            polling.until(
                lambda p=path: p.exists() and p.stat().st_size > 0,
                f"{path.name} to be written",
                timeout_seconds=10,
            )

    def _start_sink(self, host):
        tcp_ports = ",".join(map(str, [*FRESH_TCP_PORTS, LONG_LIVED_PORT]))
        self._start(
            self.network.machines[host],
            "sink",
            *("--bind", ",".join(addresses.endpoint(host).ips)),
            *("--udp-ports", str(FLOOD_PORT), "--tcp-ports", tcp_ports),
            *("--series", str(self.flows_file(host))),
            *("--bin-millis", str(self.bin_millis)),
        )

    def flows_file(self, host):
        """Where a receiving host's sink writes."""
        return self.directory / f"flows-{host}.jsonl"

    def _link_file(self, link):
        return self.directory / f"link-{link.name}.jsonl"

    def tcp(
        self,
        host,
        port,
        congestion_control,
        *,
        start_nanos,
        stop_nanos,
        rate_mbps=0.0,
        address=None,
        round_trips_file=None,
    ):
        """A TCP connection from a sender to the receiver, or to a given address."""
        sampling = ("--round-trips", str(round_trips_file)) if round_trips_file else ()
        return self._start(
            self.network.machines[host],
            "tcp_send",
            *("--to", address or self.target, "--port", str(port)),
            *("--congestion-control", congestion_control, "--rate-mbps", str(rate_mbps)),
            *sampling,
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def greedy_tcp(
        self, host, port, congestion_control, connections, *, start_nanos, judged, stop_nanos
    ):
        """So many TCP connections of one program; judged: from which instant until which."""
        return self._start(
            self.network.machines[host],
            "greedy_tcp",
            *("--to", self.target, "--port", str(port)),
            *("--congestion-control", congestion_control, "--connections", str(connections)),
            *("--judged-from-nanos", str(judged[0]), "--judged-until-nanos", str(judged[1])),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def transfer(self, host, port, congestion_control, size_bytes, *, start_nanos, stop_nanos):
        """A TCP transfer of size_bytes to the receiver, which answers when it has all of them."""
        return self._start(
            self.network.machines[host],
            "transfer",
            *("--to", self.target, "--port", str(port)),
            *("--congestion-control", congestion_control, "--bytes", str(size_bytes)),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def burst(self, host, transfers, congestion_control, *, register_by, start_nanos, stop_nanos):
        """TCP transfers to the receiver that begin at once; transfers: (port, bytes, due ms).

        register_by: (socket of the host's agent, instant) to register them by; None: they are not.
        """
        words = [word for each in transfers for word in ("--transfer", ":".join(map(str, each)))]
        if register_by is not None:
            agent, instant = register_by
            words += ["--agent", str(agent), "--register-nanos", str(instant)]
            words += ["--from", addresses.endpoint(host).address(self.ip_version)]
        return self._start(
            self.network.machines[host],
            "burst",
            *("--to", self.target, "--congestion-control", congestion_control),
            *words,
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def short_flows(
        self,
        host,
        port,
        congestion_control,
        *,
        size_bytes,
        per_second,
        seed,
        start_nanos,
        begin_until_nanos,
        stop_nanos,
        at_once=1,
        connect_ahead_millis=0,
        no_delay=False,
    ):
        """Short TCP transfers to the receiver, so many at each random instant.

        per_second: instants, in the mean; they are the same for a seed, on any host.
        connect_ahead_millis: connections are there so long before; no_delay: TCP_NODELAY is set.
        """
        return self._start(
            self.network.machines[host],
            "short_flows",
            *("--to", self.target, "--port", str(port)),
            *("--congestion-control", congestion_control, "--bytes", str(size_bytes)),
            *("--per-second", str(per_second), "--seed", str(seed), "--at-once", str(at_once)),
            *("--connect-ahead-millis", str(connect_ahead_millis)),
            *(("--no-delay",) if no_delay else ()),
            *("--begin-until-nanos", str(begin_until_nanos)),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def web_requests(
        self, host, server, *, per_second, at_once, seed, start_nanos, begin_until_nanos, stop_nanos
    ):
        """Requests of a host's machine for a WebServer's page, so many at each random instant.

        per_second: instants, in the mean.
        """
        return self._start(
            self.network.machines[host],
            "web_requests",
            *("--to", server.address, "--port", str(server.port), "--path", server.path),
            *("--per-second", str(per_second), "--at-once", str(at_once), "--seed", str(seed)),
            *("--begin-until-nanos", str(begin_until_nanos)),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def web_load(self, host, server, *, every_millis, requests, start_nanos, stop_nanos, at_once=1):
        """So many requests of h2load for a WebServer's page, some at each of even instants."""
        log = self.directory / f"h2load-{len(self._jobs)}.log"
        return self._start(
            self.network.machines[host],
            "web_load",
            *("--url", server.url, "--every-millis", str(every_millis)),
            *("--at-once", str(at_once), "--requests", str(requests), "--log", str(log)),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def receive_transfers(self):
        """Make the receiver's machine answer transfers with the arrival of their last byte.

        Returns when it listens: a connection that is refused would use up a registration.
        """
        ports = ("--ports", *map(str, TRANSFER_PORTS))
        receiver = self.network.machines[self.receiver.host]
        job = self._start(receiver, "arrivals", "--bind", self.target, *ports)
        last = TRANSFER_PORTS[-1]  # It begins with the first.
        polling.until(
            lambda: receiver.check(["ss", "-Hltn", f"sport = :{last}"]).strip(),
            f"{receiver.name} to listen on port {last}",
            timeout_seconds=10,
        )
        return job

    def record_route_metrics(self, machine):
        """Record the TCP metrics of a machine's routes until the horizon; returns the file."""
        series = self.directory / f"routes-{machine}.jsonl"
        self._start(self.network.machines[machine], "route_metrics", "--series", str(series))
        polling.until(
            lambda: series.exists() and series.stat().st_size > 0,
            f"{series.name} to be written",
            timeout_seconds=10,
        )
        return series

    def start_long_lived(self, host, congestion_control):
        """A thin paced connection that lasts as long as the experiment."""
        return self.tcp(
            *(host, LONG_LIVED_PORT, congestion_control),
            start_nanos=0,
            stop_nanos=self.horizon_nanos,
            rate_mbps=LONG_LIVED_MBPS,
        )

    def flood(
        self,
        host,
        rate_mbps,
        *,
        start_nanos,
        stop_nanos=None,
        on_millis=0,
        off_millis=0,
        address=None,
    ):
        """UDP from a sender to the receiver (or an address), until ended or stop_nanos."""
        return self._start(
            self.network.machines[host],
            "flood",
            *("--to", address or self.target, "--port", str(FLOOD_PORT)),
            *("--rate-mbps", str(rate_mbps)),
            *("--on-millis", str(on_millis), "--off-millis", str(off_millis)),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def probe(self, host, start_nanos, stop_nanos, interval_millis=5.0):
        """A sparse request-response flow between a sender and the receiver."""
        return self._start(
            self.network.machines[host],
            "probe",
            *("--to", self.target, "--port", str(PROBE_PORT)),
            *("--interval-millis", str(interval_millis)),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def pings(self, host, address):
        """Pings from a host's machine every 20 ms, until interrupted."""
        ready_file = self.directory / f"answered-{len(self._jobs)}"
        arguments = ("--to", address, "--ready-file", str(ready_file))
        job = self._start(self.network.machines[host], "ping", *arguments)
        job.ready_file = ready_file
        return job

    def attack(
        self,
        host,
        kind,
        rate,
        *,
        receiver,
        victim,
        seed,
        start_nanos,
        stop_nanos,
        claimed="",
        segments=0,
    ):
        """Frames of an attack from a machine, at a rate in frames a second.

        segments: full datagrams in each super-packet that it sends instead of them.
        """
        parties = {"attacker": host, "receiver": receiver, "victim": victim}
        words = [f"--{name}={party_of(machine)}" for name, machine in parties.items()]
        return self._start(
            self.network.machines[host],
            "attack",
            *("--device", VM_INTERFACE, "--kind", kind, "--rate", str(rate)),
            *("--seed", str(seed), "--claimed", claimed, "--segments", str(segments), *words),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def count_attacks(self, host):
        """Count frames of attacks at a machine, until interrupted; counts when this returns."""
        return self._count("attack_counter", self.network.machines[host], VM_INTERFACE)

    def count_dscps(self, node, device):
        """Count packets with DSCPs that come in by a device; as count_attacks."""
        return self._count("dscp_counter", node, device)

    def sample_caps(self, wire, socket, *, every_millis, stop_nanos):
        """Record the caps of the port agent of a wire, by its control socket.

        Returns (program, its file).
        """
        series = self.directory / f"caps-{wire.name}-{len(self._jobs)}.jsonl"
        job = self._start(
            wire,
            "cap_sampler",
            *("--socket", str(socket), "--device", RIGHT),
            *("--interval-millis", str(every_millis), "--series", str(series)),
            stop_nanos=stop_nanos,
        )
        return job, series

    def _count(self, program, node, device):
        ready_file = self.directory / f"counting-{len(self._jobs)}"
        job = self._start(node, program, "--device", device, "--ready-file", str(ready_file))
        polling.until(ready_file.exists, f"{job.name} to count", timeout_seconds=10)
        return job

    def relay_discovery(self, host, accomplice, *, start_nanos, stop_nanos):
        """Give the controller's discovery frames to an accomplice, and send what it gives."""
        own, other = addresses.endpoint(host).ip, addresses.endpoint(accomplice).ip
        return self._start(
            self.network.machines[host],
            "discovery_relay",
            *("--device", VM_INTERFACE, "--own", own, "--accomplice", other),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
        )

    def flows(self, receiver=None):
        """Payload bytes at a receiver (default: the first) per flow, so far."""
        return read_flows(self.flows_file(receiver or self.receiver.host))

    def link(self, link=None):
        """Frame bytes that left a wire (default: the only one) to its right, so far."""
        if link is None:
            (link,) = self.network.wires
        return read_counter(self._link_file(link))

    def end(self):
        """End all programs."""
        for job in self._jobs:
            job.end()
        self._jobs.clear()

    def _start(self, node, program, *arguments, start_nanos=0, stop_nanos=None):
        log_file = self.directory / f"{program}-{node.name}-{len(self._jobs)}.log"
        command = launch.command(
            *(program, *arguments, "--start-nanos", str(start_nanos)),
            *("--stop-nanos", str(stop_nanos or self.horizon_nanos)),
        )
        with open(log_file, "wb") as log:
            process = node.popen(
                command, stdout=subprocess.PIPE, stderr=log, cwd=launch.PACKAGE_PARENT, text=True
            )
        job = Job(f"{program} on {node.name}", process, log_file)
        self._jobs.append(job)
        if process.poll() is not None:
            raise LabError(f"{job.name} ended at once: {os.fspath(log_file)}")
        return job
