# SPDX-License-Identifier: Apache-2.0
"""What the testbed needs on this machine, checked before anything is changed."""

import importlib.util
import os
import shutil

from testbed.system.errors import LabError

# CAP_NET_ADMIN and CAP_SYS_ADMIN: bits of capability sets (linux/capability.h).
NAMESPACE_CAPABILITIES = 1 << 12 | 1 << 21

DEBIAN_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nsenter": "util-linux",
    "ethtool": "ethtool",
    "sysctl": "procps",
    "mnexec": "mininet",
    "ovsdb-server": "openvswitch-switch",
    "ovs-vswitchd": "openvswitch-switch",
    "ovsdb-tool": "openvswitch-switch",
    "ovs-vsctl": "openvswitch-switch",
    "ovs-ofctl": "openvswitch-switch",
    "openssl": "openssl",
}
FURTHER_PACKAGES = {"nginx": "nginx", "h2load": "nghttp2-client", "bpftool": "bpftool"}
PYTHON_PACKAGES = {"mininet": "mininet", "matplotlib": "python3-matplotlib"}


def check(extra_commands=()):
    """Raise LabError naming every missing command, module or privilege, and how to get it.

    extra_commands: of FURTHER_PACKAGES, for experiments that need them.
    """
    missing = []
    packages = set()
    for command in list(DEBIAN_PACKAGES) + list(extra_commands):
        if shutil.which(command) is None:
            missing.append(command)
            packages.add((DEBIAN_PACKAGES | FURTHER_PACKAGES)[command])
    for module, package in PYTHON_PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            missing.append(f"Python module {module}")
            packages.add(package)
    if missing:
        raise LabError(
            f"missing: {', '.join(missing)}. On Debian or Ubuntu:"
            f" apt-get install {' '.join(sorted(packages))}"
        )
    if not may_make_namespaces():
        raise LabError("network namespaces need root: run again as root (for example with sudo)")
    if not os.path.exists("/dev/net/tun"):
        raise LabError("/dev/net/tun is missing: load the kernel's tun module (modprobe tun)")


def may_make_namespaces():
    """Whether this process may make network namespaces: root, with root's capabilities."""
    with open("/proc/self/status", encoding="ascii") as file:
        effective = next(line.split()[1] for line in file if line.startswith("CapEff:"))
    return int(effective, 16) & NAMESPACE_CAPABILITIES == NAMESPACE_CAPABILITIES
