# SPDX-License-Identifier: Apache-2.0
"""The choices a run is started with."""

import dataclasses
import ipaddress
import socket

from karaf.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Settings:
    """Addresses, ports and properties (component, name, value) of one controller."""

    bind: str = "127.0.0.1"
    rest_port: int = 8181
    ssh_port: int = 8101
    openflow_port: int = 6653
    cluster_port: int = 9876
    heap_mib: int = 768
    properties: tuple[tuple[str, str, str], ...] = ()
    peers: tuple[str, ...] = ()  # addresses of all nodes of a cluster; none: it is alone
    storage: str | None = None  # the address of what a cluster of several nodes stores in

    @property
    def reachable_address(self) -> str:
        """The address to connect to from this machine."""
        return "127.0.0.1" if self.bind == "0.0.0.0" else self.bind

    @property
    def url(self) -> str:
        return f"http://{self.reachable_address}:{self.rest_port}"

    @property
    def ports(self) -> dict[str, int]:
        return {
            "rest": self.rest_port,
            "ssh": self.ssh_port,
            "openflow": self.openflow_port,
            "cluster": self.cluster_port,
        }

    def check(self) -> None:
        """Raises UsageError unless every port can be bound now."""
        try:
            ipaddress.IPv4Address(self.bind)
        except ValueError as error:
            raise UsageError(
                f"--bind {self.bind}: not an IPv4 address; give one of this machine, or 0.0.0.0"
            ) from error
        if len(set(self.ports.values())) < len(self.ports):
            raise UsageError(f"ports {self.ports}: each must be different")
        for name, port in self.ports.items():
            self._check_port(name, port)

    def _check_port(self, name: str, port: int) -> None:
        option = f"--{name}-port {port}"
        if not 0 < port < 65536:
            raise UsageError(f"{option}: give a port from 1 to 65535")
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.bind, port))
            except OSError as error:
                raise UsageError(
                    f"{option}: cannot listen on {self.bind} ({error.strerror}); choose another"
                ) from error


def parse_property(text: str, form: str) -> tuple[str, str, str]:
    """Reads COMPONENT:PROPERTY=VALUE, which is called by its form."""
    component, colon, rest = text.partition(":")
    name, equals, value = rest.partition("=")
    if not (component and colon and name and equals):
        raise UsageError(f"--set {text}: write {form}")
    return component, name, value
