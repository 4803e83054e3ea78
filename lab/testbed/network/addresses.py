# SPDX-License-Identifier: Apache-2.0
"""Names and addresses of the machines: they follow from a host's number in any network."""

from dataclasses import dataclass

SENDERS = ("h1", "h2", "h3", "h4")
RECEIVER = "h5"
HOSTS = (*SENDERS, RECEIVER)


@dataclass(frozen=True)
class Endpoint:
    """One virtual machine: its name, which is its host's for a host's own, and its addresses."""

    host: str
    ip: str
    ip6: str
    mac: str

    @property
    def ips(self):
        """Both addresses."""
        return [self.ip, self.ip6]

    def address(self, ip_version):
        """The IPv4 (4) or the IPv6 (6) address."""
        return {4: self.ip, 6: self.ip6}[ip_version]


def endpoint(host):
    """The endpoint of a host's machine, or of a further one on it (h1, h2 ...)."""
    number = int(host.removeprefix("h"))
    return Endpoint(
        host=host,
        ip=f"10.0.0.{number}",
        ip6=f"fd00:10::{number:x}",
        mac=f"02:00:00:00:01:{number:02x}",
    )
